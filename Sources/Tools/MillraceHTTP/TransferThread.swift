import Foundation
import MillraceCurl

/// The thread of a loop, and the transfers under way, which only it knows.
struct TransferThread {
  private typealias Continuation = CheckedContinuation<TransferLoop.Answer, any Error>

  private struct Running {
    let transfer: OpaquePointer
    let request: TransferLoop.Request
    let end: ContinuousClock.Instant
    let continuation: Continuation
  }

  private let queue: TransferQueue
  private let multi: Multi
  private let agent: String
  private let issuers: TrustedIssuers?
  /// The number of connections to keep; nil gives each transfer its own.
  private var connections: Int?
  private var running: [UInt64: Running] = [:]
  /// The look-ups for transfers under way.
  private var lookUps: [UInt64: Task<Void, Never>] = [:]
  /// The connections that are made for transfers under way.
  private var races: [UInt64: ConnectionRace] = [:]
  private var waiting = WaitingTransfers<(request: TransferLoop.Request, continuation: Continuation)>()

  init(queue: TransferQueue, multi: Multi, agent: String, issuers: TrustedIssuers?) {
    self.queue = queue
    self.multi = multi
    self.agent = agent
    self.issuers = issuers
  }

  consuming func run() {
    while let (commands, connections) = queue.take() {
      if self.connections != connections, let connections { multi.keep(connections: connections) }
      self.connections = connections
      for command in commands {
        switch command {
        case .start(let id, let request, let continuation): waiting.append((request, continuation), id: id)
        case .cancel(let id):
          (waiting.remove(id)?.continuation ?? finish(id))?.resume(throwing: CancellationError())
        case .connect(let id, .success(let addresses)): race(id, to: addresses)
        case .connect(let id, .failure(let failure)): finish(id)?.resume(throwing: failure)
        }
      }
      startWaiting()
      multi.perform()
      while let answer = multi.take() { settle(answer) }
      // A transfer that has just begun ends the wait at once.
      startWaiting()
      advanceRaces()
      multi.wait(for: races.values.flatMap(\.descriptors), until: races.values.map(\.due).min())
    }
  }

  /// Continues to connect, and gives the connections that are made to their transfers.
  private mutating func advanceRaces() {
    for (id, race) in races {
      do throws(TransferFailure) {
        guard let connection = try race.advance(), let transfer = running[id] else { continue }
        races[id] = nil
        guard
          millrace_transfer_give_connection(transfer.transfer, connection, Self.milliseconds(until: transfer.end)),
          multi.add(transfer.transfer)
        else { throw .unmade }
      } catch {
        finish(id)?.resume(throwing: error)
      }
    }
  }

  /// Starts transfers in their order, as many as there are connections.
  private mutating func startWaiting() {
    while running.count < connections ?? .max, let (id, (request, continuation)) = waiting.removeFirst() {
      start(id, request, continuation)
    }
  }

  private mutating func start(_ id: UInt64, _ request: TransferLoop.Request, _ continuation: Continuation) {
    let end = request.end ?? .now + request.limit
    guard
      let transfer = request.transfer(
        id: id, agent: agent, issuers: issuers, keepsConnection: connections != nil,
        milliseconds: Self.milliseconds(until: end))
    else {
      return continuation.resume(throwing: TransferFailure.unmade)
    }
    running[id] = Running(
      transfer: transfer, request: request, end: end, continuation: continuation)
    // libcurl looks for a connection that was kept, and says where there is none.
    guard connections != nil else { return connect(id) }
    if !multi.add(transfer) { finish(id)?.resume(throwing: TransferFailure.unmade) }
  }

  /// Ends a transfer and frees it; nil when it has ended before.
  private mutating func finish(_ id: UInt64) -> Continuation? {
    races[id] = nil
    lookUps.removeValue(forKey: id)?.cancel()
    guard let ended = running.removeValue(forKey: id) else { return nil }
    multi.remove(ended.transfer)
    millrace_transfer_free(ended.transfer)
    return ended.continuation
  }

  private mutating func settle(_ answer: millrace_answer) {
    guard let transfer = running[answer.id] else { return }
    if answer.end == .lacksConnection {
      multi.remove(transfer.transfer)
      return connect(answer.id)
    }
    let result: Result<TransferLoop.Answer, any Error>
    if let failure = TransferFailure(answer, limit: transfer.request.limit) {
      result = .failure(failure)
    } else {
      result = .success(
        TransferLoop.Answer(
          status: Int(answer.status), redirection: answer.redirection.map { String(cString: $0) },
          isCut: answer.end == .bodyLimit,
          body: answer.body.map { Data(bytes: $0, count: answer.body_count) } ?? Data(),
          retryAfter: answer.retry_after > 0 ? .seconds(answer.retry_after) : nil,
          expiry: answer.expiry >= 0 ? Date(timeIntervalSince1970: Double(answer.expiry)) : nil))
    }
    finish(answer.id)?.resume(with: result)
  }

  /// Begins to connect for a transfer, behind a look-up where its request has a resolver.
  private mutating func connect(_ id: UInt64) {
    guard let transfer = running[id] else { return }
    let (request, host, end) = (transfer.request, transfer.request.url.bareHost, transfer.end)
    guard !SocketAddress.isNumeric(host) else { return race(id, to: [host]) }
    guard let resolver = request.resolver else { return race(id, to: request.addresses) }
    lookUps[id] = Task { [queue] in
      do {
        let rest = ContinuousClock.now.duration(to: end)
        queue.add(.connect(id, .success(try await resolver.addresses(of: host, within: rest))))
      } catch {
        queue.add(.connect(id, .failure(error)))
      }
    }
  }

  /// Begins to connect to addresses for a transfer, unless it has ended.
  private mutating func race(_ id: UInt64, to addresses: [String]) {
    lookUps[id] = nil
    guard let transfer = running[id] else { return }
    do throws(TransferFailure) {
      races[id] = try ConnectionRace(
        addresses, port: transfer.request.url.port, limit: transfer.request.limit, until: transfer.end)
    } catch {
      finish(id)?.resume(throwing: error)
    }
  }

  private static func milliseconds(until end: ContinuousClock.Instant) -> Int {
    max(1, Int(ContinuousClock.now.milliseconds(until: end)))
  }
}

extension TransferLoop.Request {
  /// The request in libcurl's form; nil when there is no memory.
  fileprivate func transfer(
    id: UInt64, agent: String, issuers: TrustedIssuers?, keepsConnection: Bool, milliseconds: Int
  ) -> OpaquePointer? {
    let limits = millrace_transfer_limits(
      milliseconds: milliseconds, header: TransferLoop.headerLimit, body: bodyLimit)
    // libcurl never connects: it asks for the connection to this address. The plus has it forget the host after a minute.
    let resolve = SocketAddress.isNumeric(url.bareHost) ? nil : "+\(url.host):\(url.port):127.0.0.1"
    guard let transfer = millrace_transfer_make(id, url.text, resolve, limits) else { return nil }
    if keepsBody { millrace_transfer_keep_body(transfer) }
    guard
      millrace_transfer_set_agent(transfer, agent), !keepsConnection || millrace_transfer_keep_connection(transfer),
      issuers.map({ millrace_transfer_trust(transfer, $0.path) }) ?? true,
      !readsCertificates || millrace_transfer_read_certificates(transfer),
      url.credentials.map({ millrace_transfer_set_credentials(transfer, $0.user, $0.password) }) ?? true,
      fields.allSatisfy({ millrace_transfer_add_header(transfer, $0) }), body.map({ $0.post(by: transfer) }) ?? true
    else {
      millrace_transfer_free(transfer)
      return nil
    }
    return transfer
  }
}

extension Data {
  fileprivate func post(by transfer: OpaquePointer) -> Bool {
    withUnsafeBytes { bytes in
      // An empty body has no address of its own.
      bytes.baseAddress.map { millrace_transfer_set_body(transfer, $0, bytes.count) }
        ?? millrace_transfer_set_body(transfer, "", 0)
    }
  }
}
