import Dispatch
import Millrace

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
extension JobQueue {
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
