import Foundation
import MillraceCurl

/// The thread of a loop, and the transfers under way, which only it knows.
struct TransferThread {
  private typealias Continuation = CheckedContinuation<TransferLoop.Answer, any Error>

  private struct Running {
    let transfer: OpaquePointer
    let limit: Duration
    let continuation: Continuation
  }

  private let queue: TransferQueue
  private let multi: Multi
  private let agent: String
  /// The number of connections to keep; nil gives each transfer its own.
  private var connections: Int?
  private var running: [UInt64: Running] = [:]
  private var waiting = WaitingTransfers<(request: TransferLoop.Request, continuation: Continuation)>()

  init(queue: TransferQueue, multi: Multi, agent: String) {
    self.queue = queue
    self.multi = multi
    self.agent = agent
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
        }
      }
      startWaiting()
      multi.perform()
      while let answer = multi.take() { settle(answer) }
      // A transfer that has just begun ends the wait at once.
      startWaiting()
      multi.wait()
    }
  }

  /// Starts transfers in their order, as many as there are connections.
  private mutating func startWaiting() {
    while running.count < connections ?? .max, let (id, (request, continuation)) = waiting.removeFirst() {
      start(id, request, continuation)
    }
  }

  private mutating func start(_ id: UInt64, _ request: TransferLoop.Request, _ continuation: Continuation) {
    guard let transfer = request.transfer(id: id, agent: agent, keepsConnection: connections != nil) else {
      return continuation.resume(throwing: TransferFailure.unmade)
    }
    guard multi.add(transfer) else {
      millrace_transfer_free(transfer)
      return continuation.resume(throwing: TransferFailure.unmade)
    }
    running[id] = Running(transfer: transfer, limit: request.limit, continuation: continuation)
  }

  /// Ends a transfer and frees it; nil when it has ended before.
  private mutating func finish(_ id: UInt64) -> Continuation? {
    guard let ended = running.removeValue(forKey: id) else { return nil }
    multi.remove(ended.transfer)
    millrace_transfer_free(ended.transfer)
    return ended.continuation
  }

  private mutating func settle(_ answer: millrace_answer) {
    guard let limit = running[answer.id]?.limit else { return }
    let result: Result<TransferLoop.Answer, any Error>
    if let failure = TransferFailure(answer, limit: limit) {
      result = .failure(failure)
    } else {
      result = .success(
        TransferLoop.Answer(
          status: Int(answer.status), redirection: answer.redirection.map { String(cString: $0) },
          isCut: answer.end == .bodyLimit,
          body: answer.body.map { Data(bytes: $0, count: answer.body_count) } ?? Data()))
    }
    finish(answer.id)?.resume(with: result)
  }
}

extension TransferLoop.Request {
  /// The request in libcurl's form; nil when there is no memory.
  fileprivate func transfer(id: UInt64, agent: String, keepsConnection: Bool) -> OpaquePointer? {
    let limits = millrace_transfer_limits(
      milliseconds: Int(
        clamping: max(1, limit.components.seconds * 1000 + limit.components.attoseconds / 1_000_000_000_000_000)),
      header: TransferLoop.headerLimit, body: bodyLimit)
    // The plus has libcurl forget the addresses after a minute, so that it keeps no host for ever.
    let resolve = addresses.isEmpty ? nil : "+\(url.host):\(url.port):" + addresses.joined(separator: ",")
    guard let transfer = millrace_transfer_make(id, url.text, resolve, limits) else { return nil }
    if keepsBody { millrace_transfer_keep_body(transfer) }
    guard millrace_transfer_set_agent(transfer, agent), !keepsConnection || millrace_transfer_keep_connection(transfer),
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
