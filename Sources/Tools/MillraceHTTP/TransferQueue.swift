import Foundation
import Millrace

/// The commands of a loop's callers for its thread.
final class TransferQueue: Sendable {
  enum Command: Sendable {
    case start(UInt64, TransferLoop.Request, CheckedContinuation<TransferLoop.Answer, any Error>)
    case cancel(UInt64)
    /// Connects a transfer to the addresses of its host, which were looked up.
    case connect(UInt64, Result<[String], any Error>)
  }

  private struct State {
    var commands: [Command] = []
    /// The number of connections to keep; nil gives each transfer its own.
    var connections: Int?
    var lastID: UInt64 = 0
    var isStarted = false
    var isClosed = false
  }

  private let state = Lock(State())
  private let multi: Multi
  private let agent: String
  private let issuers: TrustedIssuers?

  /// Nil when the system gives no descriptor.
  init?(agent: String, issuers: TrustedIssuers?) {
    guard let multi = Multi() else { return nil }
    self.multi = multi
    self.agent = agent
    self.issuers = issuers
  }

  func nextID() -> UInt64 {
    state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
  }

  func keep(connections: Int) {
    state.withLock { $0.connections = max($0.connections ?? 0, connections) }
    multi.wake()
  }

  func add(_ command: Command) {
    let (isFirst, needsWake) = state.withLock { state in
      state.commands.append(command)
      defer { state.isStarted = true }
      // The thread takes all commands at once, so that one call of the system wakes it for all of them.
      return (!state.isStarted, state.commands.count == 1)
    }
    if isFirst {
      Thread.detachNewThread { [self] in
        TransferThread(queue: self, multi: multi, agent: agent, issuers: issuers).run()
      }
    } else if needsWake {
      multi.wake()
    }
  }

  /// Ends the thread when no caller waits for an answer any more.
  func close() {
    state.withLock { $0.isClosed = true }
    multi.wake()
  }

  /// Takes the commands added since the last call, and the number of connections to keep; nil when the thread is to end.
  func take() -> (commands: [Command], connections: Int?)? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      defer { state.commands.removeAll(keepingCapacity: true) }
      return (state.commands, state.connections)
    }
  }
}
