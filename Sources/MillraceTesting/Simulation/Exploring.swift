/// Goes through the interleavings of a world that differ from the first one at no more than so many steps.
struct Exploring {
  /// The plans that are still to be run, the last one first.
  private var pending: [SimulationPlan]
  private let preemptions: Int

  init(seed: UInt64, preemptions: Int) {
    var first = SimulationPlan(seed: seed)
    first.steps = [:]
    pending = [first]
    self.preemptions = preemptions
  }

  /// The next plan, or nil when all were run.
  mutating func next() -> SimulationPlan? {
    pending.popLast()
  }

  /// Adds the plans that differ from this one, which was run, at one later step.
  ///
  /// - Parameter widths: how many jobs there were to choose from at each step.
  mutating func add(after plan: SimulationPlan, widths: [Int]) {
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
