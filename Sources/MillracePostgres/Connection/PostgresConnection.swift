#if Postgres
  import Foundation
  import MillraceLibPQ

  /// A connection to a server, which one thread uses, in the pipeline mode of libpq.
  ///
  /// Statements are sent together and end with one synchronization, which makes them one transaction. There is no BEGIN and no COMMIT in it, so an
  /// error undoes all of it, and no aborted transaction is left behind. ``write(_:)`` and ``read(_:)`` send statements by the names under which the server
  /// has prepared them; see ``PreparedStatements``.
  final class PostgresConnection {
    private let handle: OpaquePointer
    private let notices = Notices()
    /// The longest time for a transaction.
    private let deadline: Duration
    private var prepared = PreparedStatements()
    /// Sets what holds for one transaction.
    private let settings: PostgresStatement

    /// Connects, within the deadline.
    ///
    /// - Parameter showsStates: Whether a failure has the states of SQL in the place of the server's texts.
    init(_ address: PostgresAddress, deadline: Duration, showsStates: Bool = false) throws(PostgresFailure) {
      self.deadline = deadline
      settings = PostgresStatement(TransactionSettings.text(deadline))
      let handle = address.withPointers(timeout: Int(Int32(clamping: Int64(max(deadline, .zero) / .milliseconds(1))))) {
        keywords, values in
        PQconnectStartParams(keywords, values, 0)
      }
      guard let handle else { throw .disconnected("there is no memory for a connection") }
      self.handle = handle
      if showsStates { PQsetErrorVerbosity(handle, PQERRORS_SQLSTATE) }
      let end = ContinuousClock.now + deadline
      guard PQstatus(handle) != CONNECTION_BAD else { throw .disconnected(message) }
      var events = Int16(POLLOUT)
      connecting: while true {
        guard wait(for: events, until: end) else { throw .disconnected("it has not answered within \(deadline)") }
        switch PQconnectPoll(handle) {
        case PGRES_POLLING_READING: events = Int16(POLLIN)
        case PGRES_POLLING_WRITING: events = Int16(POLLOUT)
        case PGRES_POLLING_OK: break connecting
        default: throw .disconnected(message)
        }
      }
      PQsetNoticeReceiver(
        handle, { context, result in Notices.take(context, result) }, Unmanaged.passUnretained(notices).toOpaque())
      guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else { throw .disconnected(message) }
    }

    deinit { PQfinish(handle) }

    // MARK: Transactions

    /// Runs statements in one transaction, by their texts and without other settings than that functions are those of the server.
    ///
    /// - Parameter time: The longest time to wait for the results. Defaults to the deadline.
    /// - Throws: ``PostgresFailure``. The connection cannot be used again unless ``PostgresFailure/leavesConnection`` is true.
    func run(_ statements: [PostgresStatement], within time: Duration? = nil) throws(PostgresFailure)
      -> [PostgresResult]
    {
      let path = PostgresStatement("select pg_catalog.set_config('search_path', 'pg_catalog', true)")
      return Array(try runAsIs([path] + statements, within: time).dropFirst())
    }

    /// Runs statements by their texts, and nothing else.
    func runAsIs(_ statements: [PostgresStatement], within time: Duration? = nil) throws(PostgresFailure)
      -> [PostgresResult]
    {
      let sent = try send(statements, byName: false)
      return try results(of: sent, until: .now + (time ?? deadline), within: time ?? deadline)
    }

    /// Runs statements in one transaction, which is durable when this returns, also on a server whose commits are not.
    func write(_ statements: [PostgresStatement]) throws(PostgresFailure) -> [PostgresResult] {
      Array(try runByName([settings] + statements).dropFirst())
    }

    /// Runs statements that read one state of the database.
    func read(_ statements: [PostgresStatement]) throws(PostgresFailure) -> [PostgresResult] {
      // One statement sees one state by itself.
      if statements.count == 1 { return try write(statements) }
      let begin = PostgresStatement("begin transaction isolation level repeatable read, read only")
      let all = [begin, settings] + statements + [PostgresStatement("commit")]
      return Array(try runByName(all, hasBegin: true).dropFirst(2).dropLast())
    }

    /// Runs statements in one transaction by name.
    ///
    /// A transaction that fails because of a name is repeated: the server has refused one of its statements, so it has changed nothing.
    ///
    /// - Parameter hasBegin: Whether the first statement begins the transaction and the last one commits it.
    private func runByName(
      _ statements: [PostgresStatement], hasBegin: Bool = false
    ) throws(PostgresFailure) -> [PostgresResult] {
      let end = ContinuousClock.now + deadline
      if prepared.isPlanningDue() { _ = try runAsIs([PostgresStatement("discard plans")]) }
      while true {
        let count = prepared.count
        do throws(PostgresFailure) {
          return try results(of: try send(statements, byName: true), until: end, within: deadline)
        } catch {
          guard case .refused(let state, _) = error else { throw error }
          // What was begun stays open, and aborted, behind a statement that was refused.
          if hasBegin { _ = try runAsIs([PostgresStatement("rollback")]) }
          guard prepared.isRepeated(after: state, before: count) else { throw error }
        }
      }
    }

    // MARK: Sending and receiving

    /// Sends statements, and the names of those that the server has not prepared.
    ///
    /// - Returns: the name that each result prepares; nil for that of a statement.
    private func send(_ statements: [PostgresStatement], byName: Bool) throws(PostgresFailure)
      -> [PreparedStatements.Name?]
    {
      notices.isDoubtful = false
      var (sent, new): ([PreparedStatements.Name?], Set<PreparedStatements.Name>) = ([], [])
      for statement in statements {
        let name = byName && prepared.isUsed ? statement.name : nil
        if let name, !prepared.contains(name), new.insert(name).inserted {
          let types = statement.parameters.types
          guard PQsendPrepare(handle, name.text, statement.sql, Int32(types.count), types) == 1 else {
            throw .unanswered(message)
          }
          sent.append(name)
        }
        guard send(statement, name) else { throw .unanswered(message) }
        sent.append(nil)
      }
      guard PQpipelineSync(handle) == 1 else { throw .unanswered(message) }
      return sent
    }

    /// Receives the results of a transaction.
    private func results(
      of sent: [PreparedStatements.Name?], until end: ContinuousClock.Instant, within time: Duration
    ) throws(PostgresFailure) -> [PostgresResult] {
      var (results, failure): ([PostgresResult], PostgresFailure?) = ([], nil)
      var (rest, made) = (sent[...], [PreparedStatements.Name]())
      while true {
        // `next` returns nil between two statements.
        guard let result = try next(until: end, within: time) else { continue }
        let status = PQresultStatus(result)
        if status == PGRES_PIPELINE_SYNC {
          PQclear(result)
          prepared.add(made)
          if let failure { throw failure }
          if notices.isDoubtful { throw .doubtful }
          return results
        }
        let name = rest.popFirst() ?? nil
        switch status {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
          let result = PostgresResult(owning: result)
          if let name { made.append(name) } else { results.append(result) }
        case PGRES_PIPELINE_ABORTED: PQclear(result)
        default:
          defer { PQclear(result) }
          let said = Self.field(result, .message) ?? message
          guard let state = Self.field(result, .state), Self.field(result, .severity) == "ERROR",
            !PostgresFailure.isOfPooler(state)
          else { throw .unanswered(said) }
          if let name, state == PreparedStatements.isPrepared { made.append(name) }
          failure = failure ?? .refused(state: state, message: said)
        }
      }
    }

    /// Sends a statement by its name, or by its text if it has none.
    private func send(_ statement: PostgresStatement, _ name: PreparedStatements.Name?) -> Bool {
      let parameters = statement.parameters
      let count = parameters.places.count
      return parameters.bytes.withUnsafeBytes { bytes in
        let start = bytes.baseAddress.map { $0.assumingMemoryBound(to: CChar.self) }
        // A value without bytes is none that is NULL.
        let values = parameters.places.map { place in place.map { (start ?? Self.empty) + $0.lowerBound } }
        let lengths = parameters.places.map { Int32($0?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: count)
        return if let name {
          PQsendQueryPrepared(handle, name.text, Int32(count), values, lengths, formats, 1) == 1
        } else {
          PQsendQueryParams(handle, statement.sql, Int32(count), parameters.types, values, lengths, formats, 1) == 1
        }
      }
    }

    /// Bytes that are none.
    nonisolated(unsafe) private static let empty = UnsafePointer(strdup("")!)

    /// The next result; nil between the results of two statements.
    private func next(
      until end: ContinuousClock.Instant, within time: Duration
    ) throws(PostgresFailure) -> OpaquePointer? {
      while true {
        let unsent = PQflush(handle)
        guard unsent >= 0 else { throw .unanswered(message) }
        if PQisBusy(handle) == 0 {
          if let result = PQgetResult(handle) { return result }
          guard PQstatus(handle) != CONNECTION_BAD else { throw .unanswered(message) }
          return nil
        }
        guard wait(for: Int16(unsent == 1 ? POLLIN | POLLOUT : POLLIN), until: end) else {
          throw .unanswered("it has not answered within \(time)")
        }
        guard PQconsumeInput(handle) == 1 else { throw .unanswered(message) }
      }
    }

    /// Waits until the socket can be read or written; false at the deadline.
    private func wait(for events: Int16, until end: ContinuousClock.Instant) -> Bool {
      while true {
        let rest = max(.zero, end - .now)
        var socket = pollfd(fd: PQsocket(handle), events: events, revents: 0)
        let count = poll(&socket, 1, Int32(clamping: Int64(rest / .milliseconds(1)) + 1))
        if count > 0 { return true }
        if count < 0, errno != EINTR { return true }
        if ContinuousClock.now >= end { return false }
      }
    }

    /// The last message of libpq, without the line ends that it has.
    private var message: String {
      let text = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
      let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
      return lines.isEmpty ? "the connection has ended" : lines.joined(separator: "; ")
    }

    /// The parts of what a server says, by the letters that its protocol has for them.
    private enum Field: UInt8 {
      case message = 77
      case severity = 86
      case state = 67
    }

    private static func field(_ result: OpaquePointer?, _ field: Field) -> String? {
      PQresultErrorField(result, Int32(field.rawValue)).map { String(cString: $0) }
    }

    /// The notices that the server sends beside its results.
    private final class Notices {
      /// Whether a transaction was committed and its wait for a standby was ended.
      var isDoubtful = false

      static func take(_ context: UnsafeMutableRawPointer?, _ result: OpaquePointer?) {
        guard let context, field(result, .state) == "01000" else { return }
        Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue().isDoubtful = true
      }
    }
  }
#endif
