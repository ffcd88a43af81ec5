import Millrace

/// The sequences of those who wait for changes of a journal, for an engine.
package final class JournalChanges: Sendable {
  private struct State {
    var next = 0
    var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
    var hasEnded = false
  }

  private let state = Lock(State())

  package init() {}

  deinit { end() }

  /// A sequence with an element for each change; one is kept that was not taken, and stands for later ones too.
  package func sequence() -> AsyncStream<Void> {
    let (sequence, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state -> Int? in
      if state.hasEnded { return nil }
      state.next += 1
      state.waiting[state.next] = continuation
      return state.next
    }
    if let number {
      continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.waiting[number] = nil } }
    } else {
      continuation.finish()
    }
    return sequence
  }

  /// Whether none waits.
  package var isEmpty: Bool { state.withLock { $0.waiting.isEmpty } }

  /// Adds an element to each sequence.
  package func note() {
    let waiting = state.withLock { $0.waiting.isEmpty ? [] : Array($0.waiting.values) }
    for continuation in waiting { continuation.yield() }
  }

  /// Ends all sequences, also later ones.
  package func end() {
    let waiting = state.withLock { state in
      state.hasEnded = true
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for continuation in waiting { continuation.finish() }
  }
}
