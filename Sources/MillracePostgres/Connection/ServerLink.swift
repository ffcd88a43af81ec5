#if Postgres
  import MillraceJournal

  /// The connection of a thread, which is made anew when it has ended.
  struct ServerLink {
    private let address: PostgresAddress
    private let deadline: Duration
    private var connection: PostgresConnection?
    /// The time before which no connection is tried, and the reason for which the last one was not made.
    private var pause: (end: ContinuousClock.Instant, reason: String)?
    private var pauseTime = Duration.zero

    init(_ address: PostgresAddress, deadline: Duration) {
      self.address = address
      self.deadline = deadline
    }

    /// Runs transactions on the connection, and drops it if it has ended.
    mutating func use<Value>(
      _ body: (PostgresConnection) throws(PostgresFailure) -> Value
    ) throws(PostgresFailure) -> Value {
      let connection = try connected()
      do throws(PostgresFailure) {
        return try body(connection)
      } catch {
        if case .refused = error {} else { self.connection = nil }
        throw error
      }
    }

    /// The connection; within a pause behind a failed attempt there is none.
    ///
    /// The pauses are 20 milliseconds, and twice as long each time up to a second, with up to as much at random, so that many processes do not come
    /// back to a server at the same time.
    private mutating func connected() throws(PostgresFailure) -> PostgresConnection {
      if let connection { return connection }
      if let pause, ContinuousClock.now < pause.end { throw .disconnected(pause.reason) }
      do throws(PostgresFailure) {
        let made = try PostgresConnection(address, deadline: deadline)
        connection = made
        (pause, pauseTime) = (nil, .zero)
        return made
      } catch {
        pauseTime = min(max(pauseTime * 2, .milliseconds(20)), .seconds(1))
        pause = (.now + pauseTime * Double.random(in: 1...2), "\(error)")
        if case .disconnected(let reason) = error { pause?.reason = reason }
        throw error
      }
    }
  }
#endif
