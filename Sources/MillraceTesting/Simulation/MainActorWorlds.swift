import Millrace

/// Lets one world at a time use the main actor, whose state all worlds of a process share.
///
/// A world that has used it once keeps it to its end.
final class MainActorWorlds: Sendable {
  static let shared = MainActorWorlds()

  private struct State {
    var owner: JobQueue?
    var waiting: [(queue: JobQueue, turn: ThreadSignal)] = []
  }

  private let state = Lock(State())

  /// Blocks the world's thread until no other world uses the main actor.
  func enter(_ queue: JobQueue) {
    let turn = state.withLock { state -> ThreadSignal? in
      if state.owner === queue { return nil }
      if state.owner == nil {
        state.owner = queue
        return nil
      }
      let turn = ThreadSignal()
      state.waiting.append((queue, turn))
      return turn
    }
    turn?.wait()
  }

  /// Lets the world that has waited longest use the main actor, if this one used it.
  func leave(_ queue: JobQueue) {
    let next = state.withLock { state -> ThreadSignal? in
      guard state.owner === queue else { return nil }
      let next = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
      state.owner = next?.queue
      return next?.turn
    }
    next?.signal()
  }
}
