import Dispatch
import Millrace

/// Admits one world at a time to the main actor, whose state all worlds of a process share.
///
/// A world that has used it once keeps it to its end.
final class MainActorWorlds: Sendable {
  static let shared = MainActorWorlds()

  private struct State {
    var owner: WorldRuntime?
    var waiting: [(runtime: WorldRuntime, turn: ThreadSignal)] = []
  }

  private let state = Lock(State())

  /// Blocks the world's thread until no other world uses the main actor.
  func enter(_ runtime: WorldRuntime) {
    let turn = state.withLock { state -> ThreadSignal? in
      if state.owner === runtime { return nil }
      if state.owner == nil {
        state.owner = runtime
        return nil
      }
      let turn = ThreadSignal()
      state.waiting.append((runtime, turn))
      return turn
    }
    turn?.wait()
  }

  /// Admits the world that has waited longest to the main actor, if this world used it.
  func leave(_ runtime: WorldRuntime) {
    let next = state.withLock { state -> ThreadSignal? in
      guard state.owner === runtime else { return nil }
      let next = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
      state.owner = next?.runtime
      return next?.turn
    }
    next?.signal()
  }
}

/// Does something once on the main thread, in a turn of its queue, while the calling thread waits.
final class MainTurn: Sendable {
  private enum State {
    case waiting, begun, late
  }

  private let state = Lock(State.waiting)
  private let end = ThreadSignal()

  /// Returns when `work` is done; false if it was not begun within `seconds`, so that it will be late.
  ///
  /// - Parameter work: called once on the main thread, in time or not, which it is told.
  func run(seconds: Double, _ work: @escaping @Sendable (_ isInTime: Bool) -> Void) -> Bool {
    DispatchQueue.main.async {
      let isInTime = self.move(to: .begun)
      work(isInTime)
      if isInTime { self.end.signal() }
    }
    if end.wait(seconds: seconds) { return true }
    if move(to: .late) { return false }
    end.wait()
    return true
  }

  /// False if it does not wait any more.
  private func move(to next: State) -> Bool {
    state.withLock { state in
      guard state == .waiting else { return false }
      state = next
      return true
    }
  }
}

/// The work of the main actor.
extension WorldRuntime {
  /// The main actor may have more to do than this world's work, so that is done where, and when, the main actor does it.
  func runOnMainThread(_ job: Job) {
    MainActorWorlds.shared.enter(self)
    // Other tests may have long turns there; what did not come to its turn once is waited for no more.
    let seconds = if case .main = escape { 0.0 } else { 5 * patience }
    let isDone = MainTurn().run(seconds: seconds) { isInTime in
      // Late work continues outside, rather than never.
      let run = { UnownedJob(job).runSynchronously(on: MainActor.sharedUnownedExecutor) }
      if isInTime { self.adopt { self.runningUserCode(of: job.task, run) } } else { run() }
    }
    if isDone { return }
    shared.withLock { shared in
      if shared.escape == nil { shared.escape = .main(of: shared.tasks.subject(job.id)) }
    }
  }
}
