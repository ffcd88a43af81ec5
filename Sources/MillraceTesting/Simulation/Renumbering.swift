/// The choices that are left when an action is left out, with all that it made.
///
/// The tasks, draws and steps that a task makes after that have lower numbers then, and some steps give way to fewer jobs. A plan does not say which
/// of them belong to an action, so there are several ways.
extension SimulationPlan {
  /// The sum of the numbers of times for which steps give way.
  var sumOfSteps: Int { (steps ?? [:]).values.reduce(0, +) }

  /// The largest number of tasks, draws or steps of an action that is searched.
  private static let reach = 3

  /// The plan without actions at these places among those that are taken.
  func without(actionsAt range: Range<Int>) -> SimulationPlan {
    var plan = self
    plan.actions?.subtract((actions ?? []).sorted()[range])
    return plan
  }

  /// The same, with all that the body made for these actions, if it made as much for each action.
  ///
  /// - Parameter each: the number of tasks, of draws and of steps for each action; nil takes the mean of each kind.
  func without(actionsAt range: Range<Int>, each: Int?) -> SimulationPlan {
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
  func without(_ actions: Int) -> [SimulationPlan] {
    let places = Set((draws ?? [:]).keys).union((steps ?? [:]).keys)
    let tasks = Set(places.flatMap { place in (1...place.task.count).map { Array(place.task.prefix($0)) } })
    var plans = lessened(by: actions)
    for place in (steps ?? [:]).keys.sorted() { plans += lessened(by: actions) { $0 == place } }
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
  private func lessened(by count: Int, where isMeant: (Place) -> Bool = { _ in true }) -> [SimulationPlan] {
    let ways: [(Int) -> Int] = [{ $0 - count }, { $0 - 2 * count }, { ($0 + 1) / 2 }, { ($0 + 2) / 3 }]
    return ways.map { fewer in
      var plan = self
      for (place, times) in steps ?? [:] where isMeant(place) { plan.steps?[place] = max(fewer(times), 1) }
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
  private func cutting(_ kind: Kind, of task: [Int], _ count: Int, before end: Int) -> SimulationPlan? {
    guard end - count >= (kind == .tasks ? 1 : 0) else { return nil }
    func cut(_ choices: [Place: Int]?) -> [Place: Int]? {
      choices.map { choices in
        let pairs = choices.compactMap { place, value in
          place.cutting(kind == .tasks, of: task, count, before: end).map { ($0, value) }
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

extension SimulationPlan.Place {
  /// The number of the task among those that another one made, or that of one that made it; nil if the other one made neither.
  fileprivate func child(of other: [Int]) -> Int? {
    task.count > other.count && task.starts(with: other) ? task[other.count] : nil
  }

  /// The place with a number that is lower by `count` from `end` on; nil if it is among those that are missing.
  fileprivate func cutting(_ isTask: Bool, of other: [Int], _ count: Int, before end: Int) -> Self? {
    guard let number = isTask ? child(of: other) : task == other ? number : nil, number >= end - count else {
      return self
    }
    guard number >= end else { return nil }
    var place = self
    if isTask { place.task[other.count] -= count } else { place.number -= count }
    return place
  }
}
