#if Postgres
  import Foundation
  import MillraceLibPQ

  /// A connection to a server, which one thread uses, in the pipeline mode of libpq.
  ///
  /// Statements are sent together and end with one synchronization, which makes them one transaction. There is no BEGIN and no COMMIT in it, so an
  /// error undoes all of it, and no aborted transaction is left behind.
  final class PostgresConnection {
    private let handle: OpaquePointer
    private let notices = Notices()
    /// The longest time for a transaction.
    private let deadline: Duration

    /// Connects, within the deadline.
    init(_ address: PostgresAddress, deadline: Duration) throws(PostgresFailure) {
      self.deadline = deadline
      let handle = address.withPointers(timeout: Int(Int32(clamping: Int64(max(deadline, .zero) / .milliseconds(1))))) {
        keywords, values in
        PQconnectStartParams(keywords, values, 0)
      }
      guard let handle else { throw .disconnected("there is no memory for a connection") }
      self.handle = handle
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

    /// Runs statements in one transaction.
    ///
    /// - Throws: ``PostgresFailure``. A connection whose failure is none that the server has sent cannot be used again.
    func run(_ statements: [PostgresStatement]) throws(PostgresFailure) -> [PostgresResult] {
      let end = ContinuousClock.now + deadline
      notices.isDoubtful = false
      for statement in statements {
        guard send(statement) else { throw .unanswered(message) }
      }
      guard PQpipelineSync(handle) == 1 else { throw .unanswered(message) }
      var (results, failure): ([PostgresResult], PostgresFailure?) = ([], nil)
      while true {
        // No result stands between those of two statements.
        guard let result = try next(until: end) else { continue }
        switch PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK: results.append(PostgresResult(owning: result))
        case PGRES_PIPELINE_SYNC:
          PQclear(result)
          if let failure { throw failure }
          if notices.isDoubtful { throw .doubtful }
          return results
        case PGRES_PIPELINE_ABORTED: PQclear(result)
        default:
          defer { PQclear(result) }
          let said = Self.field(result, .message) ?? message
          guard let state = Self.field(result, .state),
            Self.field(result, .severity) == "ERROR"
          else { throw .unanswered(said) }
          failure = failure ?? .refused(state: state, message: said)
        }
      }
    }

    /// Turns commits that a server would acknowledge too early into durable ones, for the transaction that evaluates it.
    static let durableCommit =
      "case when current_setting('synchronous_commit') = 'off' then set_config('synchronous_commit', 'on', true) end"

    /// Runs statements in one transaction, which is durable when this returns, also on a server whose commits are not.
    func write(_ statements: [PostgresStatement]) throws(PostgresFailure) -> [PostgresResult] {
      let commits = PostgresStatement("select \(Self.durableCommit)")
      return Array(try run([commits] + statements).dropFirst())
    }

    /// Runs statements that read one state of the database.
    func read(_ statements: [PostgresStatement]) throws(PostgresFailure) -> [PostgresResult] {
      // One statement sees one state by itself.
      if statements.count == 1 { return try run(statements) }
      let begin = PostgresStatement("begin transaction isolation level repeatable read, read only")
      do throws(PostgresFailure) {
        return Array(try run([begin] + statements + [PostgresStatement("commit")]).dropFirst().dropLast())
      } catch {
        // What was begun stays open, and aborted, behind a statement that was refused.
        if case .refused = error { _ = try run([PostgresStatement("rollback")]) }
        throw error
      }
    }

    private func send(_ statement: PostgresStatement) -> Bool {
      let parameters = statement.parameters
      let count = parameters.places.count
      return parameters.bytes.withUnsafeBytes { bytes in
        let start = bytes.baseAddress.map { $0.assumingMemoryBound(to: CChar.self) }
        // A value without bytes is none that is NULL.
        let values = parameters.places.map { place in place.map { (start ?? Self.empty) + $0.lowerBound } }
        let lengths = parameters.places.map { Int32($0?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: count)
        return PQsendQueryParams(handle, statement.sql, Int32(count), parameters.types, values, lengths, formats, 1)
          == 1
      }
    }

    /// Bytes that are none.
    nonisolated(unsafe) private static let empty = UnsafePointer(strdup("")!)

    /// The next result; nil between the results of two statements.
    private func next(until end: ContinuousClock.Instant) throws(PostgresFailure) -> OpaquePointer? {
      while true {
        let unsent = PQflush(handle)
        guard unsent >= 0 else { throw .unanswered(message) }
        if PQisBusy(handle) == 0 {
          if let result = PQgetResult(handle) { return result }
          guard PQstatus(handle) != CONNECTION_BAD else { throw .unanswered(message) }
          return nil
        }
        guard wait(for: Int16(unsent == 1 ? POLLIN | POLLOUT : POLLIN), until: end) else {
          throw .unanswered("it has not answered within \(deadline)")
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
