import Foundation

/// What a failing simulation tells: what is wrong, how to run it again, and what happened.
struct SimulationFailureText: CustomStringConvertible {
  let plan: SimulationPlan
  let smallest: SimulationPlan
  let failure: WorldFailure
  let result: WorldRun.Result
  let worlds: Int
  /// Whether sets and dictionaries have the same order in each process.
  var isHashingDeterministic = ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] != nil

  /// How many of its notes are shown.
  private static let notes = 40

  var description: String {
    let sentence = failure.sentence
    // What a fake or a test store says has its full stop.
    var lines = ["Seed \(plan.seed): \(sentence)\(sentence.hasSuffix(".") ? "" : ".")"]
    lines.append(
      "It happened after \(result.widths.count) steps, at \(result.time) of the world's time, in world \(worlds) of this simulation."
    )
    let again = plan == SimulationPlan(seed: plan.seed) ? "seed: \(plan.seed)" : "plan: \"\(plan)\""
    lines.append("To run it again: Simulation.run(\(again))")
    if smallest != plan {
      let (actions, draws, steps) = (
        smallest.actions?.count ?? 0, smallest.draws?.count ?? 0, smallest.steps?.count ?? 0
      )
      lines.append("As small as it was made (actions: \(actions), draws: \(draws), scheduling decisions: \(steps)):")
      lines.append("  Simulation.run(plan: \"\(smallest)\")")
    }
    if !isHashingDeterministic {
      lines.append(
        "Run it with SWIFT_DETERMINISTIC_HASHING=1 in the environment; without it the order of sets and dictionaries may differ."
      )
    }
    let hidden = result.notes.count - Self.notes
    if hidden > 0 { lines.append("  … \(hidden) notes before these") }
    lines += result.notes.suffix(Self.notes).map { "  \($0)" }
    return lines.joined(separator: "\n")
  }
}
