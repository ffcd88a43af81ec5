import Foundation

/// The text on standard error when a world ends the process: by a trap, an abort, or an access to memory that is not there.
///
/// It is made before the world begins, because a process that ends so can only write.
struct CrashNotice {
  let plan: SimulationPlan
  let origin: SimulationOrigin

  /// Whether the world is explored, so that the plan leaves out what the world chooses by itself.
  private var isExplored: Bool { plan.explored != nil }

  var text: String {
    """

    Millrace: a world of the simulation at \(origin.place) ended the process by a trap or a signal.
    To run it again: \(isExplored ? "explore again with seed: \(plan.seed), which comes to the same world" : origin.call(plan))

    """
  }

  /// Runs `body`, and has the text written if the process ends meanwhile on a thread that has adopted the queue.
  func whileRunning<Result>(in queue: JobQueue, _ body: () -> Result) -> Result {
    let text = strdup(text)
    queue.crashText = text.map { UnsafePointer($0) }
    defer {
      queue.crashText = nil
      free(text)
    }
    return body()
  }
}
