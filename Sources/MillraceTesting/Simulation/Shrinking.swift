/// Makes a failing plan smaller, as long as it fails in the same way: fewer actions, then fewer faults, then fewer choices of
/// what runs next; by delta debugging, after Zeller and Hildebrandt.
struct Shrinking {
  /// Runs a plan; gives the plan of the choices that it made if it fails in the same way, and nil otherwise.
  let attempt: (SimulationPlan) async -> SimulationPlan?

  /// The number of plans that may still be tried.
  private(set) var remaining: Int

  /// The plan that is made smaller.
  private var first = SimulationPlan(seed: 0)

  init(attempts: Int, attempt: @escaping (SimulationPlan) async -> SimulationPlan?) {
    remaining = attempts
    self.attempt = attempt
  }

  /// The smallest plan that was found; `plan` names all its choices.
  mutating func smallest(_ plan: SimulationPlan) async -> SimulationPlan {
    var best = plan
    first = plan
    while remaining > 0 {
      let before = best
      // The draws of the other actions stay theirs if each action made as many tasks and draws.
      await reduceActions(&best) { plan, range in [plan.without(actionsAt: range, each: nil)] }
      for choices in [\SimulationPlan.draws, \.steps] {
        await reduce(&best) {
          $0[keyPath: choices]?.count ?? 0
        } without: { plan, range in
          var plan = plan
          for place in (plan[keyPath: choices] ?? [:]).keys.sorted()[range] { plan[keyPath: choices]?[place] = nil }
          return [plan]
        }
      }
      await lessen(&best)
      if best != before { continue }
      await reduceActions(&best) { plan, range in
        (1...3).map { plan.without(actionsAt: range, each: $0) } + [plan.without(actionsAt: range)]
      }
      if best != before { continue }
      // A plan does not say which tasks, draws and steps an action made, so each of the few possible ones is tried.
      await reduceActions(&best) { [first] plan, range in
        var others = [plan, plan]
        (others[0].steps, others[1].steps) = (first.steps, nil)
        return (plan.without(range.count) + others).map { $0.without(actionsAt: range) }
      }
      if best == before { break }
    }
    return best
  }

  private mutating func reduceActions(
    _ best: inout SimulationPlan, without leaveOut: (SimulationPlan, Range<Int>) -> [SimulationPlan]
  ) async {
    await reduce(&best, of: { $0.actions?.count ?? 0 }, without: leaveOut)
  }

  /// Leaves out as many as can be of one kind of choice, in parts that become smaller.
  private mutating func reduce(
    _ best: inout SimulationPlan, of count: (SimulationPlan) -> Int,
    without leaveOut: (SimulationPlan, Range<Int>) -> [SimulationPlan]
  ) async {
    var size = count(best)
    while size > 0, remaining > 0 {
      var start = 0
      while remaining > 0, start < count(best) {
        let (all, plan) = (count(best), best)
        // What was found has no choice that the world did not come to; so it is smaller than the candidate, or as small.
        if let found = await first(of: leaveOut(plan, start..<min(start + size, all)), where: { count($0) < all }) {
          best = found
        } else {
          start += size
        }
      }
      size /= 2
    }
  }

  /// The first plan that fails in the same way, and is smaller.
  private mutating func first(
    of candidates: [SimulationPlan], where isSmaller: (SimulationPlan) -> Bool
  ) async -> SimulationPlan? {
    for candidate in candidates {
      if let found = await tried(candidate), isSmaller(found) { return found }
    }
    return nil
  }

  /// Lets steps give way less often.
  private mutating func lessen(_ best: inout SimulationPlan) async {
    for place in (best.steps ?? [:]).keys.sorted() {
      guard let times = best.steps?[place], times > 1 else { continue }
      for fewer in Set([1, times / 2, times - 1]).sorted() {
        var candidate = best
        candidate.steps?[place] = fewer
        let sum = best.sumOfSteps
        if let found = await first(of: [candidate], where: { $0.sumOfSteps < sum }) {
          best = found
          break
        }
      }
    }
  }

  private mutating func tried(_ plan: SimulationPlan) async -> SimulationPlan? {
    guard remaining > 0 else { return nil }
    remaining -= 1
    return await attempt(plan)
  }
}
