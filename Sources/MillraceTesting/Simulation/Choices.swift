/// Makes the choices of one world as its plan says, and remembers them.
///
/// Each choice depends on the seed and its own number alone, so that leaving one out changes no other one.
struct Choices {
  /// The independent kinds of choices.
  enum Stream: UInt64 {
    case actions, draws, steps, stores
    // Far from the others, also from those of the next seed.
    case search = 0x5EA2_C000_0000_0000
    case system = 0x5EA2_D000_0000_0000
  }

  /// The alternatives of a draw when all interleavings are explored.
  enum Alternatives {
    /// Each number.
    case all
    /// The least and the largest number.
    case extremes
    /// None: the number is the seed's.
    case none
  }

  let plan: SimulationPlan

  /// Chooses the steps that the plan leaves to the seed; nil if the plan says what to run.
  private(set) var search: Search?

  /// The choices so far with their alternatives; nil unless all interleavings are explored.
  private(set) var explored: ExploredChoices?

  /// The number of actions and draws so far, taken or not.
  private(set) var actionCount = 0
  private(set) var drawCount = 0

  /// The number of steps so far.
  private(set) var stepCount = 0

  /// The draws that were not the least there is, and the steps that did not run the job that had waited longest.
  private(set) var draws: [Int: Int] = [:]
  private(set) var steps: [Int: Int] = [:]

  /// - Parameter isExplored: whether a task continues as long as it can where the plan names no step, and the least is drawn where
  ///   it names no draw.
  init(_ plan: SimulationPlan, isExplored: Bool = false) {
    self.plan = plan
    if isExplored {
      explored = ExploredChoices()
    } else if plan.steps == nil {
      search = Search(seed: plan.seed)
    }
  }

  /// The random numbers for the next action, or nil if it is to be left out.
  mutating func action() -> SeededGenerator? {
    defer { actionCount += 1 }
    guard plan.actions?.contains(actionCount) ?? true else { return nil }
    return generator(.actions, actionCount)
  }

  /// A number from 0 to `limit`.
  mutating func draw(upTo limit: Int, _ alternatives: Alternatives = .all) -> Int {
    draw(upTo: limit, alternatives) { Int.random(in: 0...limit, using: &$0) }
  }

  /// Whether something happens, with a probability from 0 to 1; what is certain is no choice, whatever the plan has there.
  mutating func draw(probability: Double) -> Bool {
    guard probability > 0, probability < 1 else {
      drawCount += 1
      return probability >= 1
    }
    return draw(upTo: 1, .all) { Double.random(in: 0..<1, using: &$0) < probability ? 1 : 0 } == 1
  }

  private mutating func draw(
    upTo limit: Int, _ alternatives: Alternatives, _ make: (inout SeededGenerator) -> Int
  ) -> Int {
    defer { drawCount += 1 }
    let drawn: Int
    if explored != nil ? alternatives != .none : plan.draws != nil {
      drawn = min(plan.draws?[drawCount] ?? 0, limit)
      explored?.add(draw: drawCount, drawn, upTo: limit, alternatives)
    } else {
      var generator = generator(.draws, drawCount)
      drawn = make(&generator)
    }
    if drawn != 0 { draws[drawCount] = drawn }
    return drawn
  }

  /// The index of the job that runs next, counted from the job that has waited longest.
  ///
  /// - Parameter tasks: the numbers of the tasks that the jobs are; 0 for the turn of an actor.
  mutating func step(among tasks: some RandomAccessCollection<Int>) -> Int {
    let step = stepCount
    stepCount += 1
    let choice: Int
    if let next = explored?.add(step: step, among: tasks, plan.steps?[step]) {
      choice = next
    } else if tasks.count == 1 {
      return 0
    } else if let steps = plan.steps {
      choice = min(steps[step] ?? 0, tasks.count - 1)
    } else {
      choice = search?.choose(step, among: tasks) ?? 0
    }
    if choice != 0 { steps[step] = choice }
    return choice
  }

  /// Notes that a task yielded in the last step.
  mutating func yielded(_ task: Int) {
    search?.yielded(task)
    explored?.yielded(task)
  }

  /// The random numbers for the stores, whatever is left out of the rest.
  var storeNumbers: SeededGenerator { generator(.stores, 0) }

  /// The plan that has no choice in it but those that were made.
  var made: SimulationPlan {
    var made = plan
    made.actions = plan.actions?.filter { $0 < actionCount } ?? Set(0..<actionCount)
    made.draws = draws
    made.steps = steps
    return made
  }

  private func generator(_ stream: Stream, _ number: Int) -> SeededGenerator {
    Self.generator(plan.seed, stream, number)
  }

  /// The random numbers for one choice.
  static func generator(_ seed: UInt64, _ stream: Stream, _ number: Int) -> SeededGenerator {
    var place = SeededGenerator(seed: seed &* 4 &+ stream.rawValue)
    let start = place.next()
    var numbered = SeededGenerator(seed: start &+ UInt64(number) &* 0xD6E8_FEB8_6659_FD93)
    return SeededGenerator(seed: numbered.next())
  }
}
