import Millrace
import MillraceHooks

/// The text on standard error when a world ends the process: by a trap, an abort, or an access to memory that is not there.
///
/// It is made before the world begins, because a process that ends so can only write.
struct CrashNotice {
  let plan: SimulationPlan
  let origin: SimulationOrigin

  var text: String {
    """

    Millrace: a world of the simulation at \(origin.place) ended the process by a trap or a signal.
    To run it again: \(origin.call(plan))

    """
  }

  /// Runs `body` on this thread, and has the text written if the process ends meanwhile on a thread of the world.
  func whileRunning<Result>(_ body: () -> Result) -> Result {
    let stack = millrace_begin_signal_stack()
    millrace_set_crash_text(text)
    defer {
      millrace_set_crash_text(nil)
      millrace_end_signal_stack(stack)
    }
    return body()
  }
}

/// The place of a simulation, and what its worlds were given besides their plans.
struct SimulationOrigin: Sendable {
  var maximumSteps = Simulation.maximumSteps
  var hops = Simulation.Hops.actors
  var file: StaticString = ""
  var line: UInt = 0

  /// The file and the line.
  var place: String { "\("\(file)".split(separator: "/").last ?? ""):\(line)" }

  /// The call that runs a plan as it was run here.
  func call(_ plan: SimulationPlan) -> String {
    let what = plan == SimulationPlan(seed: plan.seed) ? "seed: \(plan.seed)" : "plan: \"\(plan)\""
    let limit = maximumSteps == Simulation.maximumSteps ? "" : ", maximumSteps: \(maximumSteps)"
    let hops = hops == .actors ? "" : ", hops: .\(hops)"
    return "Simulation.run(\(what)\(limit)\(hops))"
  }
}
