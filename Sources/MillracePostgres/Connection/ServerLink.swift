#if Postgres
  import MillraceJournal

  /// The connection of a thread, which is made anew when it has ended.
  struct ServerLink {
    private let address: PostgresAddress
    private let deadline: Duration
    private let watch: ServerWatch
    private var connection: PostgresConnection?
    /// The moves of the server that were known when the connection was made.
    private var moves = 0
    /// The time before which no connection is tried, and the reason why the last one ended or was not made.
    private var pause: (end: ContinuousClock.Instant, reason: String)?
    private var pauseTime = Duration.zero

    init(_ address: PostgresAddress, deadline: Duration, _ watch: ServerWatch) {
      self.address = address
      self.deadline = deadline
      self.watch = watch
    }

    /// Runs transactions on the connection, and drops it if it has ended or its server takes no more statements.
    mutating func use<Value>(
      _ body: (PostgresConnection) throws(PostgresFailure) -> Value
    ) throws(PostgresFailure) -> Value {
      let connection = try connected()
      do throws(PostgresFailure) {
        let value = try body(connection)
        pauseTime = .zero
        return value
      } catch {
        if error.leavesConnection {
          pauseTime = .zero
        } else {
          self.connection = nil
          if case .refused = error { watch.didMove() }
          // The first new connection is tried immediately.
          if pauseTime > .zero { wait(after: error) }
          lengthenPause()
        }
        throw error
      }
    }

    /// The connection; within a pause after a failure there is none.
    ///
    /// The pauses are 20 milliseconds, and twice as long each time up to a second, with up to as much at random, so that many processes do not come
    /// back to a server at the same time. They start over after a transaction, not after a connection: a server may accept connections and refuse every
    /// statement.
    private mutating func connected() throws(PostgresFailure) -> PostgresConnection {
      if let connection, watch.moves == moves { return connection }
      connection = nil
      if let pause, ContinuousClock.now < pause.end { throw .disconnected(pause.reason) }
      let before = watch.moves
      do throws(PostgresFailure) {
        let made = try PostgresConnection(address, deadline: deadline)
        try watch.check(made)
        (connection, pause, moves) = (made, nil, before)
        return made
      } catch {
        lengthenPause()
        wait(after: error)
        throw .disconnected(error.reason)
      }
    }

    private mutating func lengthenPause() { pauseTime = min(max(pauseTime * 2, .milliseconds(20)), .seconds(1)) }

    private mutating func wait(after failure: PostgresFailure) {
      pause = (.now + pauseTime * Double.random(in: 1...2), failure.reason)
    }
  }
#endif
