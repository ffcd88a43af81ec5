/// Shrinks a failing plan, as long as it fails in the same way: fewer actions, then fewer faults, then fewer choices of
/// what runs next; by delta debugging, after Zeller and Hildebrandt.
struct Shrinking {
  /// Runs a plan; gives the plan of the choices that it made if it fails in the same way, and nil otherwise.
  let attempt: (Simulation.Plan) async -> Simulation.Plan?

  /// The number of plans that may still be tried.
  private(set) var remaining: Int

  /// The plan that is made smaller.
  private var first = Simulation.Plan(seed: 0)

  init(attempts: Int, attempt: @escaping (Simulation.Plan) async -> Simulation.Plan?) {
    remaining = attempts
    self.attempt = attempt
  }

  /// The smallest plan that was found; `plan` names all its choices.
  mutating func smallest(_ plan: Simulation.Plan) async -> Simulation.Plan {
    var best = plan
    first = plan
    while remaining > 0 {
      let before = best
      // The draws of the other actions stay theirs if each action made as many tasks and draws.
      await reduceActions(&best) { plan, range in [plan.without(actionsAt: range, each: nil)] }
      for choices in [\Simulation.Plan.draws, \.steps] {
        await reduce(&best) {
          $0[keyPath: choices]?.count ?? 0
        } without: { plan, range in
          var plan = plan
          for position in (plan[keyPath: choices] ?? [:]).keys.sorted()[range] {
            plan[keyPath: choices]?[position] = nil
          }
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
    _ best: inout Simulation.Plan, without leaveOut: (Simulation.Plan, Range<Int>) -> [Simulation.Plan]
  ) async {
    await reduce(&best, of: { $0.actions?.count ?? 0 }, without: leaveOut)
  }

  /// Leaves out as many as can be of one kind of choice, in parts that become smaller.
  private mutating func reduce(
    _ best: inout Simulation.Plan, of count: (Simulation.Plan) -> Int,
    without leaveOut: (Simulation.Plan, Range<Int>) -> [Simulation.Plan]
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
    of candidates: [Simulation.Plan], where isSmaller: (Simulation.Plan) -> Bool
  ) async -> Simulation.Plan? {
    for candidate in candidates {
      if let found = await tried(candidate), isSmaller(found) { return found }
    }
    return nil
  }

  /// Tries plans in which steps give way less often.
  private mutating func lessen(_ best: inout Simulation.Plan) async {
    for position in (best.steps ?? [:]).keys.sorted() {
      guard let times = best.steps?[position], times > 1 else { continue }
      for fewer in Set([1, times / 2, times - 1]).sorted() {
        var candidate = best
        candidate.steps?[position] = fewer
        let sum = best.sumOfSteps
        if let found = await first(of: [candidate], where: { $0.sumOfSteps < sum }) {
          best = found
          break
        }
      }
    }
  }

  private mutating func tried(_ plan: Simulation.Plan) async -> Simulation.Plan? {
    guard remaining > 0 else { return nil }
    remaining -= 1
    return await attempt(plan)
  }
}

/// The choices that are left when an action is left out, with all that it made.
///
/// The tasks, draws and steps that a task makes after that have lower numbers then, and some steps give way to fewer jobs. A plan does not say which
/// of them belong to an action, so there are several ways.
extension Simulation.Plan {
  /// The sum of the numbers of times for which steps give way.
  var sumOfSteps: Int { (steps ?? [:]).values.reduce(0, +) }

  /// The largest number of tasks, draws or steps of an action that is searched.
  private static let reach = 3

  /// The plan without actions at these positions among those that are taken.
  func without(actionsAt range: Range<Int>) -> Simulation.Plan {
    var plan = self
    plan.actions?.subtract((actions ?? []).sorted()[range])
    return plan
  }

  /// The same, with all that the body made for these actions, if it made as much for each action.
  ///
  /// - Parameter each: the number of tasks, of draws and of steps for each action; nil takes the mean of each kind.
  func without(actionsAt range: Range<Int>, each: Int?) -> Simulation.Plan {
    var plan = without(actionsAt: range)
    for kind in Kind.allCases {
      guard let last = numbers(of: kind, madeBy: [1]).last, let all = actions?.count, all > 0 else { continue }
      let first = kind == .tasks ? 1 : 0
      let each = each ?? max((last - first + 1 + all / 2) / all, 1)
      plan = plan.cutting(kind, of: [1], each * range.count, before: first + each * range.upperBound) ?? plan
    }
    return plan
  }

  /// The plans in which choices of a number of actions are missing.
  func without(_ actions: Int) -> [Simulation.Plan] {
    let positions = Set((draws ?? [:]).keys).union((steps ?? [:]).keys)
    let tasks = Set(positions.flatMap { position in (1...position.task.count).map { Array(position.task.prefix($0)) } })
    var plans = lessened(by: actions)
    for position in (steps ?? [:]).keys.sorted() { plans += lessened(by: actions) { $0 == position } }
    for task in tasks.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      // What a task made for one action may be of several kinds, of each by another number.
      var combined = [self]
      for kind in Kind.allCases {
        guard let first = numbers(of: kind, madeBy: task).first else { continue }
        combined += combined.flatMap { plan in
          (1...Self.reach).compactMap { plan.cutting(kind, of: task, $0 * actions, before: first) }
        }
      }
      plans += combined.dropFirst()
      for each in 1...Self.reach {
        let count = each * actions
        for kind in Kind.allCases {
          for number in numbers(of: kind, madeBy: task) {
            plans += [number, number + count].compactMap { cutting(kind, of: task, count, before: $0) }
              .flatMap { [$0] + $0.lessened(by: count) }
          }
        }
      }
    }
    var known: Set = [self]
    return plans.filter { known.insert($0).inserted }
  }

  /// The plans in which steps give way less often: by a number of times, or by parts.
  private func lessened(by count: Int, where isMeant: (Position) -> Bool = { _ in true }) -> [Simulation.Plan] {
    let ways: [(Int) -> Int] = [{ $0 - count }, { $0 - 2 * count }, { ($0 + 1) / 2 }, { ($0 + 2) / 3 }]
    return ways.map { fewer in
      var plan = self
      for (position, times) in steps ?? [:] where isMeant(position) { plan.steps?[position] = max(fewer(times), 1) }
      return plan
    }
  }

  /// The kinds of what a task makes.
  private enum Kind: CaseIterable {
    case tasks, draws, steps
  }

  private func numbers(of kind: Kind, madeBy task: [Int]) -> [Int] {
    let draws = (draws ?? [:]).keys, steps = (steps ?? [:]).keys
    let numbers =
      switch kind {
      case .tasks: (Array(draws) + steps).compactMap { $0.child(of: task) }
      case .draws: draws.filter { $0.task == task }.map(\.number)
      case .steps: steps.filter { $0.task == task }.map(\.number)
      }
    return Set(numbers).sorted()
  }

  /// The plan without `count` of what a task made, and with lower numbers from `end` on; nil if it has not made as many before.
  private func cutting(_ kind: Kind, of task: [Int], _ count: Int, before end: Int) -> Simulation.Plan? {
    guard end - count >= (kind == .tasks ? 1 : 0) else { return nil }
    func cut(_ choices: [Position: Int]?) -> [Position: Int]? {
      choices.map { choices in
        let pairs = choices.compactMap { position, value in
          position.cutting(kind == .tasks, of: task, count, before: end).map { ($0, value) }
        }
        return Dictionary(pairs) { first, _ in first }
      }
    }
    var plan = self
    if kind != .steps { plan.draws = cut(draws) }
    if kind != .draws { plan.steps = cut(steps) }
    return plan
  }
}

extension Simulation.Plan.Position {
  /// The number of the task among those that another one made, or that of one that made it; nil if the other one made neither.
  fileprivate func child(of other: [Int]) -> Int? {
    task.count > other.count && task.starts(with: other) ? task[other.count] : nil
  }

  /// The position with a number that is lower by `count` from `end` on; nil if it is among those that are missing.
  fileprivate func cutting(_ isTask: Bool, of other: [Int], _ count: Int, before end: Int) -> Self? {
    guard let number = isTask ? child(of: other) : task == other ? number : nil, number >= end - count else {
      return self
    }
    guard number >= end else { return nil }
    var position = self
    if isTask { position.task[other.count] -= count } else { position.number -= count }
    return position
  }
}
