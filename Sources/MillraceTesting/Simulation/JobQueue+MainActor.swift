import Millrace

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
