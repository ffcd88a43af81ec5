package import Foundation
import Millrace
import MillraceCurl

/// Carries out HTTP transfers side by side, all on one thread of its own, which nothing blocks.
///
/// The thread begins with the first transfer and ends with the last reference to the loop.
package final class TransferLoop: Sendable {
  /// One request; redirections are not followed.
  package struct Request: Sendable {
    package var url: TransferURL
    /// The addresses of the URL's host, in the order they should be tried; empty where the host is an address itself.
    package var addresses: [String] = []
    /// Header fields, `Name: value`.
    package var fields: [String] = []
    /// What is posted; nil for a GET.
    package var body: Data?
    /// The longest the transfer takes.
    package var limit: Duration

    package init(
      url: TransferURL, addresses: [String] = [], fields: [String] = [], body: Data? = nil, limit: Duration
    ) {
      self.url = url
      self.addresses = addresses
      self.fields = fields
      self.body = body
      self.limit = limit
    }
  }

  /// What an answer says, its body apart, which is counted and dropped.
  package struct Answer: Sendable, Equatable {
    package let status: Int
    /// The URL that a redirection leads to.
    package let redirection: String?
    /// Whether the body was longer than its limit, and the rest was not waited for.
    package let isCut: Bool
  }

  /// The most bytes of header that an answer may have, those of interim answers included.
  package static let headerLimit = 65_536

  /// The bytes of body after which an answer is taken for one, whatever else would come.
  package static let bodyLimit = 1_048_576

  private let queue: TransferQueue?

  package init() {
    queue = TransferQueue()
  }

  deinit {
    queue?.close()
  }

  /// Sends a request and waits for its answer, of which the body may be cut.
  ///
  /// - Throws: ``TransferFailure`` when there is no answer; `CancellationError`, soon after the task was cancelled: the
  ///   connection is closed by then.
  package func answer(to request: Request) async throws -> Answer {
    guard let queue else { throw TransferFailure.tooFewFiles }
    let id = queue.nextID()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.add(.start(id, request, continuation))
        // The handler has run before there was anything to cancel.
        if Task.isCancelled { queue.add(.cancel(id)) }
      }
    } onCancel: {
      queue.add(.cancel(id))
    }
  }
}

/// What the callers of a loop ask of its thread.
private final class TransferQueue: Sendable {
  enum Command: Sendable {
    case start(UInt64, TransferLoop.Request, CheckedContinuation<TransferLoop.Answer, any Error>)
    case cancel(UInt64)
  }

  private struct State {
    var commands: [Command] = []
    var lastID: UInt64 = 0
    var isStarted = false
    var isClosed = false
  }

  private let state = Lock(State())
  private let multi: Multi

  /// Nil when the system gives no descriptor.
  init?() {
    guard let multi = Multi() else { return nil }
    self.multi = multi
  }

  func nextID() -> UInt64 {
    state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
  }

  func add(_ command: Command) {
    let isFirst = state.withLock { state in
      state.commands.append(command)
      defer { state.isStarted = true }
      return !state.isStarted
    }
    guard isFirst else { return multi.wake() }
    Thread.detachNewThread { [self] in TransferThread(queue: self, multi: multi).run() }
  }

  /// Ends the thread, when nobody waits for an answer any more.
  func close() {
    state.withLock { $0.isClosed = true }
    multi.wake()
  }

  /// Takes what was asked for since the last time; nil when the thread is to end.
  func take() -> [Command]? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      defer { state.commands = [] }
      return state.commands
    }
  }
}

/// The thread of a loop, and the transfers under way, which only it knows.
private struct TransferThread {
  private struct Running {
    let transfer: OpaquePointer
    let limit: Duration
    let continuation: CheckedContinuation<TransferLoop.Answer, any Error>
  }

  let queue: TransferQueue
  let multi: Multi
  private var running: [UInt64: Running] = [:]

  init(queue: TransferQueue, multi: Multi) {
    self.queue = queue
    self.multi = multi
  }

  consuming func run() {
    while let commands = queue.take() {
      for command in commands {
        switch command {
        case .start(let id, let request, let continuation): start(id, request, continuation)
        case .cancel(let id): finish(id)?.resume(throwing: CancellationError())
        }
      }
      multi.perform()
      while let answer = multi.take() { settle(answer) }
      multi.wait()
    }
  }

  private mutating func start(
    _ id: UInt64, _ request: TransferLoop.Request, _ continuation: CheckedContinuation<TransferLoop.Answer, any Error>
  ) {
    guard let transfer = request.transfer(id: id) else {
      return continuation.resume(throwing: TransferFailure.unmade)
    }
    guard multi.add(transfer) else {
      millrace_transfer_free(transfer)
      return continuation.resume(throwing: TransferFailure.unmade)
    }
    running[id] = Running(transfer: transfer, limit: request.limit, continuation: continuation)
  }

  /// Ends a transfer and frees it; nil when it has ended before.
  private mutating func finish(_ id: UInt64) -> CheckedContinuation<TransferLoop.Answer, any Error>? {
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
          isCut: answer.end == .bodyLimit))
    }
    finish(answer.id)?.resume(with: result)
  }
}

extension TransferLoop.Request {
  /// The request in libcurl's form; nil when there is no memory.
  fileprivate func transfer(id: UInt64) -> OpaquePointer? {
    let limits = millrace_transfer_limits(
      milliseconds: Int(
        clamping: max(1, limit.components.seconds * 1000 + limit.components.attoseconds / 1_000_000_000_000_000)),
      header: TransferLoop.headerLimit, body: TransferLoop.bodyLimit)
    // The plus has libcurl forget the addresses after a minute, so that it keeps no host for ever.
    let resolve = addresses.isEmpty ? nil : "+\(url.host):\(url.port):" + addresses.joined(separator: ",")
    guard let transfer = millrace_transfer_make(id, url.text, resolve, limits) else { return nil }
    if let credentials = url.credentials {
      guard millrace_transfer_set_credentials(transfer, credentials.user, credentials.password) else {
        millrace_transfer_free(transfer)
        return nil
      }
    }
    for field in fields {
      guard millrace_transfer_add_header(transfer, field) else {
        millrace_transfer_free(transfer)
        return nil
      }
    }
    if let body {
      let isSet = body.withUnsafeBytes { bytes in
        // An empty body has no address of its own.
        bytes.baseAddress.map { millrace_transfer_set_body(transfer, $0, bytes.count) }
          ?? millrace_transfer_set_body(transfer, "", 0)
      }
      guard isSet else {
        millrace_transfer_free(transfer)
        return nil
      }
    }
    return transfer
  }
}

/// libcurl's transfers of one thread; ``wake()`` may be called by any.
private final class Multi: @unchecked Sendable {
  private let pointer: OpaquePointer

  init?() {
    guard let pointer = millrace_multi_make() else { return nil }
    self.pointer = pointer
  }

  deinit {
    millrace_multi_free(pointer)
  }

  func add(_ transfer: OpaquePointer) -> Bool { millrace_multi_add(pointer, transfer) }
  func remove(_ transfer: OpaquePointer) { millrace_multi_remove(pointer, transfer) }
  func perform() { millrace_multi_perform(pointer) }
  func wait() { millrace_multi_wait(pointer) }
  func wake() { millrace_multi_wake(pointer) }

  func take() -> millrace_answer? {
    var answer = millrace_answer()
    return millrace_multi_take(pointer, &answer) ? answer : nil
  }
}
