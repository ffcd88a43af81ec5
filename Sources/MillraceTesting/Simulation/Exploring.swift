/// Runs the interleavings of a world that differ from the first at no more than `preemptions` steps.
struct Exploring {
  /// The plans that are still to be run, the last one first.
  private var pending: [SimulationPlan]
  private let preemptions: Int
  private let limit: Int
  private var count = 0

  /// Whether there were more plans than the limit.
  private(set) var isCut = false

  init(seed: UInt64, preemptions: Int, limit: Int) {
    var first = SimulationPlan(seed: seed)
    first.steps = [:]
    pending = [first]
    self.preemptions = preemptions
    self.limit = limit
  }

  /// The next plan, or nil when all were run, or as many as there may be.
  ///
  /// - Parameter result: what became of the one before, if there was one.
  mutating func next(after result: WorldRun.Result?) -> SimulationPlan? {
    if let result { add(after: result.plan, widths: result.widths) }
    guard !pending.isEmpty else { return nil }
    isCut = count >= limit
    if isCut { return nil }
    count += 1
    return pending.removeLast()
  }

  /// Adds the plans that differ from this one, which was run, at one later step.
  private mutating func add(after plan: SimulationPlan, widths: [Int]) {
    let steps = plan.steps ?? [:]
    guard steps.count < preemptions else { return }
    let first = (steps.keys.max() ?? -1) + 1
    guard first < widths.count else { return }
    for step in (first..<widths.count).reversed() where widths[step] > 1 {
      for choice in (1..<widths[step]).reversed() {
        var later = plan
        later.steps = steps.merging([step: choice]) { $1 }
        pending.append(later)
      }
    }
  }
}
