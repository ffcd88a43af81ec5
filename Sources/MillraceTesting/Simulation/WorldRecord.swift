import Millrace

/// The record of a world so far; guarded, because escaped work still refers to it.
final class WorldRecord: Sendable {
  struct Content: Sendable {
    var choices: Choices
    var invariants = Invariants()
    var failure: WorldFailure?
    var notes: [String] = []
    /// The events; nil unless they are traced.
    var trace: Trace?
    var fingerprint = Fingerprint()
    var isBodyOver = false
    /// Cancels all that a store of the world has accepted.
    var cancellations: [@Sendable () -> Void] = []
    /// The actions of each store that have not ended.
    var openActions: [@Sendable () -> [OpenAction]] = []
    /// The handlers that have begun and not returned, by their numbers.
    var handlers: [Int: @Sendable () -> String] = [:]
    var lastHandler = 0
    /// By their names.
    var nodes: [String: SimulatedNode] = [:]
    /// Counts the stores that have a number, downwards.
    var lastStore = 0
  }

  private let content: Lock<Content>
  private let queue: JobQueue

  init(_ choices: Choices, _ queue: JobQueue) {
    content = Lock(Content(choices: choices))
    self.queue = queue
  }

  /// Reads or changes it; `body` calls nothing of a test.
  func withContent<Result: Sendable>(_ body: (inout Content) -> Result) -> Result {
    content.withLock { body(&$0) }
  }

  /// Keeps the first failure; the others may follow from it.
  func fail(_ failure: WorldFailure) {
    withContent { content in
      if content.failure == nil { content.failure = failure }
    }
    // The world may stand still, and wait for what other threads do.
    if !queue.isOwnedHere { queue.wake() }
  }
}
