/// Makes a failing plan smaller, as long as it fails in the same way: fewer actions, then fewer faults, then fewer choices of
/// what runs next; by delta debugging, after Zeller and Hildebrandt.
struct Shrinking {
  /// Runs a plan; gives the plan of the choices that it made if it fails in the same way, and nil otherwise.
  let attempt: (SimulationPlan) -> SimulationPlan?

  /// How many more plans may be tried.
  private(set) var remaining: Int

  init(attempts: Int, attempt: @escaping (SimulationPlan) -> SimulationPlan?) {
    remaining = attempts
    self.attempt = attempt
  }

  /// The smallest plan that was found; `plan` names all its choices.
  mutating func smallest(_ plan: SimulationPlan) -> SimulationPlan {
    var best = plan
    while remaining > 0 {
      let before = best
      reduce(&best, of: { Array($0.actions ?? []).sorted() }) { $0.actions?.subtract($1) }
      reduce(&best, of: { Array($0.draws ?? []).sorted() }) { $0.draws?.subtract($1) }
      reduce(&best, of: { Array($0.steps?.keys ?? [:].keys).sorted() }) { plan, numbers in
        for number in numbers { plan.steps?[number] = nil }
      }
      if best == before { break }
    }
    return best
  }

  /// Leaves out as many as can be of one kind of choice, in parts that become smaller.
  private mutating func reduce(
    _ best: inout SimulationPlan, of numbers: (SimulationPlan) -> [Int],
    without leaveOut: (inout SimulationPlan, [Int]) -> Void
  ) {
    var size = numbers(best).count
    while size > 0, remaining > 0 {
      var start = 0
      while remaining > 0 {
        let all = numbers(best)
        guard start < all.count else { break }
        var candidate = best
        leaveOut(&candidate, Array(all[start..<min(start + size, all.count)]))
        remaining -= 1
        // What was found has no choice that the world did not come to; so it is smaller than the candidate, or as small.
        if let found = attempt(candidate), numbers(found).count < all.count {
          best = found
        } else {
          start += size
        }
      }
      size /= 2
    }
  }
}
