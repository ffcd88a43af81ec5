/// Makes the choices of one world as its plan says, and remembers them.
///
/// Each choice depends on the seed and its own number alone, so that leaving one out changes no other one.
struct Choices {
  /// The independent kinds of choices.
  private enum Stream: UInt64 {
    case actions, draws, steps, stores
  }

  let plan: SimulationPlan

  /// The number of actions and draws so far, taken or not.
  private(set) var actionCount = 0
  private(set) var drawCount = 0

  /// The number of jobs to choose from, at each step.
  private(set) var widths: [Int] = []

  /// The draws that were not the least there is, and the steps that did not run the job that had waited longest.
  private(set) var draws: [Int: Int] = [:]
  private(set) var steps: [Int: Int] = [:]

  init(_ plan: SimulationPlan) {
    self.plan = plan
  }

  /// The random numbers for the next action, or nil if it is to be left out.
  mutating func action() -> SeededGenerator? {
    defer { actionCount += 1 }
    guard plan.actions?.contains(actionCount) ?? true else { return nil }
    return generator(.actions, actionCount)
  }

  /// A number from 0 to `limit`.
  mutating func draw(upTo limit: Int) -> Int {
    draw(upTo: limit) { Int.random(in: 0...limit, using: &$0) }
  }

  /// Whether something happens, with a probability from 0 to 1; what is certain is no choice, whatever the plan has there.
  mutating func draw(probability: Double) -> Bool {
    guard probability > 0, probability < 1 else {
      drawCount += 1
      return probability >= 1
    }
    return draw(upTo: 1) { Double.random(in: 0..<1, using: &$0) < probability ? 1 : 0 } == 1
  }

  private mutating func draw(upTo limit: Int, _ make: (inout SeededGenerator) -> Int) -> Int {
    defer { drawCount += 1 }
    let drawn: Int
    if let draws = plan.draws {
      drawn = min(draws[drawCount] ?? 0, limit)
    } else {
      var generator = generator(.draws, drawCount)
      drawn = make(&generator)
    }
    if drawn != 0 { draws[drawCount] = drawn }
    return drawn
  }

  /// The index of the job that runs next, counted from the job that has waited longest.
  mutating func step(among count: Int) -> Int {
    let step = widths.count
    widths.append(count)
    guard count > 1 else { return 0 }
    let choice: Int
    if let steps = plan.steps {
      choice = min(steps[step] ?? 0, count - 1)
    } else {
      var generator = generator(.steps, step)
      choice = Int.random(in: 0..<count, using: &generator)
    }
    if choice != 0 { steps[step] = choice }
    return choice
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
    var place = SeededGenerator(seed: plan.seed &* 4 &+ stream.rawValue)
    let start = place.next()
    var numbered = SeededGenerator(seed: start &+ UInt64(number) &* 0xD6E8_FEB8_6659_FD93)
    return SeededGenerator(seed: numbered.next())
  }
}
