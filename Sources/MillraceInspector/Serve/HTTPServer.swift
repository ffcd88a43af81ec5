#if Inspector
  import Foundation
  import Millrace
  import MillraceMicroHTTPD

  /// A server of pages by libmicrohttpd, whose one thread waits for all connections.
  ///
  /// A request suspends its connection while a task makes the answer, so that thread never waits for a store. A timer that does not need the pool of
  /// Swift's tasks answers in place of a task that is not done in time.
  final class HTTPServer: Sendable {
    /// The server of the library, which any thread may stop.
    private struct Daemon: @unchecked Sendable { let pointer: OpaquePointer }

    private struct State {
      var daemon: Daemon?
      var isStopping = false
      /// The requests whose connections are suspended.
      var suspended: [ObjectIdentifier: Exchange] = [:]
      /// Whether a timer looks for answers that are late.
      var isWatched = false
      /// The number of requests that are not completed.
      var open = 0
      /// Called once no request is open.
      var whenIdle: (@Sendable () -> Void)?
    }

    private let state: Lock<State>
    private let connections: OpenConnections
    private let answers: any InspectorAnswers
    private let queue = DispatchQueue(label: "millrace.inspector")

    /// The bytes of a connection, in which the head of a request has to fit.
    private static let memory = 16 << 10

    /// The seconds after which the library closes a connection without traffic; `OpenConnections` closes it before.
    private static let idleSeconds: UInt32 = 3_600

    /// Starts the server on a socket, which it owns from now on.
    ///
    /// - Throws: ``InspectorError`` where the library cannot start it.
    init(
      _ socket: ListeningSocket, _ options: InspectorOptions, _ answers: any InspectorAnswers
    ) throws(InspectorError) {
      self.answers = answers
      let count = min(max(options.connections, 1), 10_000)
      connections = OpenConnections(limit: count, time: options.answerLimit, on: queue)
      state = Lock(State())
      let files: (certificate: String, key: String)?
      do throws(InspectorError) { files = try options.certificate.map(Self.texts) } catch {
        close(socket.descriptor)
        throw error
      }
      // The library has a reference of its own until it is stopped.
      let context = Unmanaged.passRetained(self)
      let identity = FileIdentity(socket.descriptor)
      let daemon = millrace_http_start(
        socket.descriptor, onRequest, onCompletion, onConnection, context.toOpaque(), UInt32(2 * count),
        Self.idleSeconds,
        Self.memory, files?.key, files?.certificate)
      guard let daemon else {
        let reason = String(cString: strerror(errno))
        context.release()
        // The library has closed it after some failures, and another thread may have opened a file by its number.
        if FileIdentity(socket.descriptor) == identity { close(socket.descriptor) }
        throw InspectorError(
          description: files == nil
            ? "libmicrohttpd cannot start the inspector: \(reason); see that the process may open more files and threads."
            : "libmicrohttpd cannot use the certificate; give PEM files of a certificate and the key that belongs to it."
        )
      }
      let started = Daemon(pointer: daemon)
      state.withLock { $0.daemon = started }
    }

    /// The contents of a certificate and its key.
    private static func texts(
      _ paths: (certificate: String, key: String)
    ) throws(InspectorError) -> (certificate: String, key: String) {
      func text(_ path: String) throws(InspectorError) -> String {
        do { return try String(contentsOfFile: path, encoding: .utf8) } catch {
          throw InspectorError(description: "'\(path)' cannot be read as a PEM file: \(error).")
        }
      }
      return (try text(paths.certificate), try text(paths.key))
    }

    /// Stops the server: open requests are answered with 503, and no callback comes once this returns.
    func stop() async {
      let (daemon, suspended) = state.withLock { state in
        defer { (state.daemon, state.isStopping) = (nil, true) }
        return (state.daemon, Array(state.suspended.values))
      }
      guard let daemon else { return }
      for exchange in suspended { give(Self.closed, to: exchange) }
      await sendAnswers()
      await withCheckedContinuation { continuation in
        // It waits for the thread of the library.
        DispatchQueue.global().async {
          MHD_stop_daemon(daemon.pointer)
          Unmanaged.passUnretained(self).release()
          continuation.resume()
        }
      }
    }

    /// Returns when all answers are sent, and after a second at the latest.
    private func sendAnswers() async {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let isIdle = state.withLock { state in
          if state.open > 0 { state.whenIdle = { continuation.resume() } }
          return state.open == 0
        }
        if isIdle { return continuation.resume() }
        queue.asyncAfter(deadline: .now() + .seconds(1)) { [self] in
          state.withLock { state in
            defer { state.whenIdle = nil }
            return state.whenIdle
          }?()
        }
      }
    }

    private static let closed = InspectorResponse(503, "The inspector is closed.\n")
    private static let late = InspectorResponse(503, "The service did not answer in time.\n")

    // MARK: On the thread of the library

    /// Begins a request with its head, which may be refused.
    fileprivate func begin(_ exchange: Exchange) -> MHD_Result {
      state.withLock { $0.open += 1 }
      connections.note(.answering, exchange.number)
      return answers.refusal(of: exchange.request).map { send($0, to: exchange) } ?? .YES
    }

    fileprivate func complete(_ exchange: Exchange) {
      connections.note(.waiting, exchange.number)
      state.withLock { state -> (@Sendable () -> Void)? in
        state.open -= 1
        guard state.open == 0 else { return nil }
        defer { state.whenIdle = nil }
        return state.whenIdle
      }?()
    }

    fileprivate func handle(_ exchange: Exchange) -> MHD_Result {
      if let response = exchange.response.withLock({ $0 }) { return send(response, to: exchange) }
      let limit = answers.limit(of: exchange.request)
      exchange.due = .now + limit.bounded
      let (isStopping, begins) = state.withLock { state in
        guard !state.isStopping else { return (true, false) }
        // With the lock, because the library forgets a resumption that comes before the suspension.
        MHD_suspend_connection(exchange.connection)
        state.suspended[ObjectIdentifier(exchange)] = exchange
        defer { state.isWatched = true }
        return (false, !state.isWatched)
      }
      if isStopping { return send(Self.closed, to: exchange) }
      let task = Task { give(await answers.answer(exchange.request), to: exchange) }
      exchange.task.withLock { $0 = task }
      if begins { watch(limit) }
      return .YES
    }

    /// Answers requests whose answers are late, as long as there is a request.
    private func watch(_ limit: Duration) {
      let pause = max(min(limit, .milliseconds(250)), .milliseconds(1))
      queue.asyncAfter(deadline: .now() + .nanoseconds(Int(pause.nanoseconds))) { [weak self] in
        guard let self else { return }
        let (late, continues) = state.withLock { state in
          state.isWatched = !state.suspended.isEmpty
          return (state.suspended.values.filter { $0.due <= .now }, state.isWatched)
        }
        for exchange in late { give(Self.late, to: exchange) }
        if continues { watch(limit) }
        // Last, because it calls the handlers of its cancellation.
        for exchange in late { exchange.task.withLock { $0 }?.cancel() }
      }
    }

    fileprivate func began(_ connection: OpaquePointer) -> UInt {
      connections.add(millrace_http_descriptor(connection))
    }

    fileprivate func ended(_ number: UInt) { connections.remove(number) }

    // MARK: On any thread

    /// Answers an exchange, and resumes its connection; only the first answer counts.
    private func give(_ response: InspectorResponse, to exchange: Exchange) {
      state.withLock { state in
        guard state.suspended.removeValue(forKey: ObjectIdentifier(exchange)) != nil else { return }
        exchange.response.withLock { $0 = response }
        // With the lock, because the server may stop once nothing is suspended.
        MHD_resume_connection(exchange.connection)
      }
    }

    private func send(_ response: InspectorResponse, to exchange: Exchange) -> MHD_Result {
      connections.note(.sending, exchange.number)
      var body = response.body
      let made = body.withUTF8 { bytes in
        MHD_create_response_from_buffer(
          bytes.count, UnsafeMutableRawPointer(mutating: UnsafeRawPointer(bytes.baseAddress)), .RESPMEM_MUST_COPY)
      }
      guard let made else { return .NO }
      defer { MHD_destroy_response(made) }
      let headers = [
        ("Content-Type", response.type), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
      ]
      for (name, value) in headers + response.headers { MHD_add_response_header(made, name, value) }
      return MHD_queue_response(exchange.connection, UInt32(response.status), made)
    }
  }

  /// One request and its answer.
  private final class Exchange: @unchecked Sendable {
    /// The connection, which lives until the request is completed.
    let connection: OpaquePointer
    let number: UInt
    let request: InspectorRequest
    let response = Lock<InspectorResponse?>(nil)
    let task = Lock<Task<Void, Never>?>(nil)
    /// The time at which the answer is late; set before the exchange is suspended.
    var due = ContinuousClock.now

    init(_ connection: OpaquePointer, number: UInt, _ request: InspectorRequest) {
      self.connection = connection
      self.number = number
      self.request = request
    }
  }

  // MARK: Callbacks

  private func server(_ context: UnsafeMutableRawPointer?) -> HTTPServer {
    Unmanaged<HTTPServer>.fromOpaque(context!).takeUnretainedValue()
  }

  /// Called for each part of a request: its head, its body, its end, and again when its connection is resumed.
  private let onRequest: MHD_AccessHandlerCallback = { context, connection, path, method, _, _, size, state in
    guard let connection, let path, let method, let state, let size else { return .NO }
    if let known = state.pointee {
      // A body is refused by its headers; what comes of it all the same is dropped.
      if size.pointee > 0 {
        size.pointee = 0
        return .YES
      }
      return server(context).handle(Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue())
    }
    let number = connectionNumber(connection)
    let request = InspectorRequest(
      method: String(cString: method), path: String(cString: path), query: query(of: connection),
      headers: headers(of: connection))
    let exchange = Exchange(connection, number: number, request)
    state.pointee = Unmanaged.passRetained(exchange).toOpaque()
    return server(context).begin(exchange)
  }

  private let onCompletion: MHD_RequestCompletedCallback = { context, _, state, _ in
    guard let state, let known = state.pointee else { return }
    let exchange = Unmanaged<Exchange>.fromOpaque(known).takeRetainedValue()
    state.pointee = nil
    server(context).complete(exchange)
  }

  private let onConnection: MHD_NotifyConnectionCallback = { context, connection, state, change in
    guard let connection, let state else { return }
    if change == .CONNECTION_NOTIFY_STARTED {
      state.pointee = UnsafeMutableRawPointer(bitPattern: server(context).began(connection))
    } else {
      server(context).ended(UInt(bitPattern: state.pointee))
      state.pointee = nil
    }
  }

  /// The number that the connection got when it began.
  private func connectionNumber(_ connection: OpaquePointer) -> UInt {
    UInt(bitPattern: millrace_http_context(connection))
  }

  private func query(of connection: OpaquePointer) -> [(name: String, value: String?)] {
    var query: [(name: String, value: String?)] = []
    withUnsafeMutablePointer(to: &query) { pointer in
      _ = MHD_get_connection_values(
        connection, .GET_ARGUMENT_KIND,
        { context, _, name, value in
          guard let name, let context else { return .YES }
          context.assumingMemoryBound(to: [(name: String, value: String?)].self).pointee.append(
            (String(cString: name), value.map { String(cString: $0) }))
          return .YES
        }, pointer)
    }
    return query
  }

  private func headers(of connection: OpaquePointer) -> [String: String] {
    var headers: [String: String] = [:]
    for name in InspectorRequest.headerNames {
      guard let value = MHD_lookup_connection_value(connection, .HEADER_KIND, name) else { continue }
      headers[name] = String(cString: value)
    }
    return headers
  }
#endif
