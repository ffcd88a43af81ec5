/// The place of a simulation, and what its worlds were given besides their plans.
struct SimulationOrigin: Sendable {
  var maximumSteps = Simulation.maximumSteps
  var hops = Simulation.Hops.actors
  var allowed: Simulation.Outside = []
  /// The longest time for which a step may compute or block, in seconds.
  var stepSeconds = 10.0
  var file: StaticString = ""
  var line: UInt = 0

  /// The file and the line.
  var place: String { "\("\(file)".split(separator: "/").last ?? ""):\(line)" }

  /// The call that runs a plan as it was run here.
  func call(_ plan: SimulationPlan) -> String {
    let what = plan == SimulationPlan(seed: plan.seed) ? "seed: \(plan.seed)" : "plan: \"\(plan)\""
    let limit = maximumSteps == Simulation.maximumSteps ? "" : ", maximumSteps: \(maximumSteps)"
    let hops = hops == .actors ? "" : ", hops: .\(hops)"
    let allowed = allowed.isEmpty ? "" : ", allowing: \(allowed)"
    return "Simulation.run(\(what)\(limit)\(hops)\(allowed))"
  }
}
