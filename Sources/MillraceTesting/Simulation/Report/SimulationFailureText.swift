import Foundation

/// The text of a failing simulation: the failure, the way to run it again, and the events.
struct SimulationFailureText: CustomStringConvertible {
  /// A plan that fails in the same way, as small as it could be made, and what became of it.
  struct Smallest {
    let plan: Simulation.Plan
    let result: WorldRun.Result
    let failure: WorldFailure
  }

  /// The world that failed.
  let result: WorldRun.Result
  let failure: WorldFailure
  /// Nil if no smaller one was looked for.
  let smallest: Smallest?
  /// The story of the smallest world; nil if it failed no more when it was told.
  var story: SimulationStory?
  /// The number of worlds until the failure.
  let worlds: Int
  var origin = SimulationOrigin()
  /// Whether it failed beside other worlds, and passed without them.
  var passesAlone = false
  /// The file in which the plan is kept, in a sentence; nil if it is kept in none.
  var kept: String?
  /// Whether sets and dictionaries have the same order in each process.
  var isHashingDeterministic = Self.isHashingDeterministic(in: ProcessInfo.processInfo.environment)

  /// Whether the runtime takes the variable for true, which hangs on its first letter alone.
  static func isHashingDeterministic(in environment: [String: String]) -> Bool {
    environment["SWIFT_DETERMINISTIC_HASHING"]?.first.map { "1tTyY".contains($0) } ?? false
  }

  /// The number of notes that are shown.
  private static let notes = 40

  /// The plan that runs the world again.
  ///
  /// The plan of an exhaustive search lacks the choices that its world made by itself.
  private var plan: Simulation.Plan { result.path == nil ? result.plan : result.made }

  /// The failure, with its reason where the smallest world shows one: actions or tasks that wait for one another.
  var sentence: String {
    guard failure.kind == .standsStill, let deadlock = story?.deadlock else { return failure.sentence }
    return "\(deadlock)"
  }

  var description: String {
    let plan = self.plan
    var lines = ["Seed \(plan.seed): \(Self.closed(sentence))"]
    let rule = result.rule.map { ", by \($0)" } ?? ""
    lines.append("It happened \(Self.moment(result)), in world \(worlds) of this simulation\(rule).")
    if passesAlone {
      lines.append(
        """
        It failed while other worlds ran in the process (MILLRACE_WORKERS), and passed alone, so worlds share state, such as a global \
        or static variable, a file or a port; make it in the body of each world.
        """)
    }
    lines.append("To run it again: \(origin.call(plan))")
    lines += smallestLines
    if let kept { lines.append(kept) }
    if let passing = story?.passing {
      lines.append("The nearest plan that passes: \(passing.difference).")
      lines.append("  \(origin.call(passing.plan))")
    }
    if !isHashingDeterministic {
      lines.append(
        "Run it with SWIFT_DETERMINISTIC_HASHING=1 in the environment; without it the order of sets and dictionaries may differ."
      )
    }
    if let leftOver = result.leftOverSentence { lines.append(leftOver) }
    return (lines + (story?.lines(seed: plan.seed) ?? noteLines)).joined(separator: "\n")
  }

  private var smallestLines: [String] {
    guard let smallest, smallest.plan != plan else { return [] }
    let plan = smallest.plan
    let (actions, draws, steps) = (plan.actions?.count ?? 0, plan.draws?.count ?? 0, plan.steps?.count ?? 0)
    var lines = ["As small as it was made (actions: \(actions), draws: \(draws), scheduling decisions: \(steps)):"]
    lines.append("  \(origin.call(plan))")
    lines.append("  fails \(Self.moment(smallest.result)).")
    if smallest.failure.sentence != failure.sentence {
      lines.append("  There it says: \(Self.closed(smallest.failure.sentence))")
    }
    return lines
  }

  private var noteLines: [String] {
    let notes = smallest?.result.notes ?? result.notes
    guard !notes.isEmpty else { return [] }
    let world = smallest == nil ? "Notes:" : "Notes of the smallest world:"
    let hidden = notes.count - Self.notes
    let first = hidden > 0 ? ["  … \(hidden) notes before these"] : []
    return [world] + first + notes.suffix(Self.notes).map { "  \($0)" }
  }

  private static func moment(_ result: WorldRun.Result) -> String {
    let steps = result.steps == 1 ? "1 step" : "\(result.steps) steps"
    return "after \(steps), at \(result.time) of the world's time"
  }

  /// A sentence of a fake or a test store ends with its full stop.
  private static func closed(_ sentence: String) -> String {
    sentence.hasSuffix(".") ? sentence : "\(sentence)."
  }
}

extension WorldRun.Result {
  /// The tasks that never ended, in words; nil for none.
  var leftOverSentence: String? {
    guard !leftOver.isEmpty else { return nil }
    let subject = leftOver.count == 1 ? "A task" : "\(leftOver.count) tasks"
    // More of them say no more.
    let names = leftOver.prefix(5).joined(separator: ", ") + (leftOver.count > 5 ? ", …" : "")
    return "\(subject) of seed \(plan.seed) never ended although cancelled: \(names)."
  }
}
