/// Makes a failing plan smaller, as long as it fails in the same way: fewer actions, then fewer faults, then fewer choices of
/// what runs next; by delta debugging, after Zeller and Hildebrandt.
struct Shrinking {
  /// Runs a plan; gives the plan of the choices that it made if it fails in the same way, and nil otherwise.
  let attempt: (SimulationPlan) async -> SimulationPlan?

  /// The number of plans that may still be tried.
  private(set) var remaining: Int

  init(attempts: Int, attempt: @escaping (SimulationPlan) async -> SimulationPlan?) {
    remaining = attempts
    self.attempt = attempt
  }

  /// The smallest plan that was found; `plan` names all its choices.
  mutating func smallest(_ plan: SimulationPlan) async -> SimulationPlan {
    var best = plan
    while remaining > 0 {
      let before = best
      await reduce(&best) {
        Array($0.actions ?? [])
      } without: {
        $0.actions?.subtract($1)
      }
      for choices in [\SimulationPlan.draws, \.steps] {
        await reduce(&best) {
          Array($0[keyPath: choices]?.keys ?? [:].keys)
        } without: { plan, numbers in
          for number in numbers { plan[keyPath: choices]?[number] = nil }
        }
        await advance(&best, choices)
      }
      if best == before, await !leaveOutAndAdvance(&best) { break }
    }
    return best
  }

  /// Leaves one action out together with the steps or draws that it had before a choice, which is made so much earlier.
  private mutating func leaveOutAndAdvance(_ best: inout SimulationPlan) async -> Bool {
    for action in (best.actions ?? []).sorted() {
      for choices in [\SimulationPlan.draws, \.steps] {
        for (number, choice) in (best[keyPath: choices] ?? [:]).sorted(by: { $0.key < $1.key }) {
          for earlier in (max(number - Self.reach, 0)..<number).reversed() {
            var candidate = best
            candidate.actions?.remove(action)
            candidate[keyPath: choices]?[number] = nil
            candidate[keyPath: choices]?[earlier] = choice
            guard let found = await tried(candidate), found.actions?.count ?? 0 < best.actions?.count ?? 0 else {
              continue
            }
            best = found
            return true
          }
        }
      }
    }
    return false
  }

  /// The largest number of steps or draws of an action that is searched.
  private static let reach = 8

  /// Leaves out as many as can be of one kind of choice, in parts that become smaller.
  private mutating func reduce(
    _ best: inout SimulationPlan, of numbers: (SimulationPlan) -> [Int],
    without leaveOut: (inout SimulationPlan, [Int]) -> Void
  ) async {
    var size = numbers(best).count
    while size > 0, remaining > 0 {
      var start = 0
      while remaining > 0 {
        let all = numbers(best).sorted()
        guard start < all.count else { break }
        var candidate = best
        leaveOut(&candidate, Array(all[start..<min(start + size, all.count)]))
        // What was found has no choice that the world did not come to; so it is smaller than the candidate, or as small.
        if let found = await tried(candidate), numbers(found).count < all.count {
          best = found
        } else {
          start += size
        }
      }
      size /= 2
    }
  }

  /// Makes choices earlier than they were made, which they have to be before what goes before them can be left out.
  private mutating func advance(_ best: inout SimulationPlan, _ choices: WritableKeyPath<SimulationPlan, [Int: Int]?>)
    async
  {
    for number in (best[keyPath: choices] ?? [:]).keys.sorted() {
      for earlier in [0, number / 2, number - 2, number - 1] where earlier >= 0 && earlier < number {
        guard let made = best[keyPath: choices], let choice = made[number], made[earlier] == nil else { continue }
        var candidate = best
        candidate[keyPath: choices]?[number] = nil
        candidate[keyPath: choices]?[earlier] = choice
        if let found = await tried(candidate), isEarlier(found[keyPath: choices], than: made) {
          best = found
          break
        }
      }
    }
  }

  private func isEarlier(_ choices: [Int: Int]?, than others: [Int: Int]) -> Bool {
    guard let choices, choices.count <= others.count else { return false }
    return choices.count < others.count || choices.keys.reduce(0, +) < others.keys.reduce(0, +)
  }

  private mutating func tried(_ plan: SimulationPlan) async -> SimulationPlan? {
    guard remaining > 0 else { return nil }
    remaining -= 1
    return await attempt(plan)
  }
}
