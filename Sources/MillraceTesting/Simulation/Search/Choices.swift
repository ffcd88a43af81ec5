/// Draws the choices of one world according to its plan, and remembers them.
///
/// A *choice* is one decision: an action, a draw or a step.
/// Each choice depends on the seed and its own position alone: the number of an action, or the task that draws and the number of the draw in it. So
/// leaving one out changes no other one, and the order of the tasks changes none.
struct Choices {
  /// The independent kinds of choices.
  enum Stream: UInt64 {
    case actions, draws, steps, stores
    // Far from the others, also from those of the next seed.
    case rule = 0x5EA2_C000_0000_0000
    case system = 0x5EA2_D000_0000_0000
  }

  /// The alternatives of a draw in an exhaustive search.
  enum Alternatives {
    /// Each number.
    case all
    /// The least and the largest number.
    case extremes
    /// None: the number is the seed's.
    case none
  }

  /// The task that draws, and the number that stands for its name; by itself no task.
  struct Drawer: Sendable {
    var task = 0
    var identity = TaskTree.identity([0])
  }

  /// A draw that was not the least there is.
  struct Drawn: Sendable {
    let task: Int
    let number: Int
    let value: Int
  }

  let plan: Simulation.Plan

  /// The draws of the plan by numbers that stand for their positions; nil leaves them to the seed.
  private let plannedDraws: [UInt64: Int]?

  /// Chooses the steps that the plan leaves to the seed; nil if the plan says what to run.
  private(set) var rule: ChoiceRule?

  /// The choices so far with their alternatives; nil outside an exhaustive search.
  private(set) var path: ChoicePath?

  /// The number of actions and draws so far, taken or not.
  private(set) var actionCount = 0
  private var drawCount = 0

  /// The numbers of draws so far by task, and the task that draws next.
  private var drawCounts: [Int] = []
  var drawer = Drawer()

  /// The number of steps so far.
  private(set) var stepCount = 0

  private(set) var draws: [Drawn] = []

  /// The last draw.
  var lastDraw: (task: Int, number: Int) { (drawer.task, drawCounts[drawer.task] - 1) }

  /// In an exhaustive search a task continues as long as it can where the plan names no step, and a draw that the plan does not name
  /// is the least number.
  init(_ plan: Simulation.Plan) {
    self.plan = plan
    plannedDraws = plan.draws.map { TaskTree.identities($0) }
    if plan.prefix != nil {
      path = ChoicePath()
    } else if plan.steps == nil {
      rule = ChoiceRule(seed: plan.seed)
    }
  }

  /// The random numbers for the next action, or nil if it is to be left out.
  mutating func action() -> SeededGenerator? {
    defer { actionCount += 1 }
    guard plan.actions?.contains(actionCount) ?? true else { return nil }
    return Self.generator(plan.seed, .actions, actionCount)
  }

  /// A number from 0 to `limit`.
  mutating func draw(upTo limit: Int, _ alternatives: Alternatives = .all) -> Int {
    draw(upTo: limit, alternatives) { Int.random(in: 0...limit, using: &$0) }
  }

  /// Whether something happens, with a probability from 0 to 1; what is certain is no choice, whatever the plan has there.
  mutating func draw(probability: Double) -> Bool {
    guard probability > 0, probability < 1 else {
      _ = nextNumber()
      return probability >= 1
    }
    return draw(upTo: 1, .all) { Double.random(in: 0..<1, using: &$0) < probability ? 1 : 0 } == 1
  }

  private mutating func draw(
    upTo limit: Int, _ alternatives: Alternatives, _ make: (inout SeededGenerator) -> Int
  ) -> Int {
    let (count, number) = (drawCount, nextNumber())
    let identity = TaskTree.identity(drawer.identity, number)
    let drawn: Int
    if let prefix = plan.prefix, alternatives != .none {
      drawn = min(prefix.draws[count] ?? 0, limit)
      path?.add(draw: count, drawn, upTo: limit, alternatives)
    } else if let plannedDraws {
      drawn = min(plannedDraws[identity] ?? 0, limit)
    } else {
      var generator = Self.generator(plan.seed, .draws, identity)
      drawn = make(&generator)
    }
    if drawn != 0 { draws.append(Drawn(task: drawer.task, number: number, value: drawn)) }
    return drawn
  }

  /// The number of the next draw among those of its task.
  private mutating func nextNumber() -> Int {
    drawCount += 1
    while drawCounts.count <= drawer.task { drawCounts.append(0) }
    defer { drawCounts[drawer.task] += 1 }
    return drawCounts[drawer.task]
  }

  /// The index of the job that runs next, counted from the job that has waited longest.
  ///
  /// - Parameters:
  ///   - tasks: the numbers of the tasks that the jobs are; 0 for the turn of an actor.
  ///   - planned: the index by the plan; nil if the seed or an exhaustive search chooses.
  mutating func step(among tasks: some RandomAccessCollection<Int>, planned: Int? = nil) -> Int {
    let step = stepCount
    stepCount += 1
    if let next = path?.add(step: step, among: tasks, plan.prefix?.steps[step]) { return next }
    if tasks.count == 1 { return 0 }
    return planned ?? rule?.choose(step, among: tasks) ?? 0
  }

  /// Notes that a task yielded in the last step.
  mutating func yielded(_ task: Int) {
    rule?.yielded(task)
    path?.yielded(task)
  }

  /// The random numbers for the stores, whatever is left out of the rest.
  var storeNumbers: SeededGenerator { Self.generator(plan.seed, .stores, 0) }

  /// The plan that has no choice in it but those that were made.
  ///
  /// - Parameters:
  ///   - tasks: the names of the tasks.
  ///   - steps: the steps that gave way.
  func made(by tasks: TaskTree, _ steps: [Simulation.Plan.Position: Int]) -> Simulation.Plan {
    var made = Simulation.Plan(seed: plan.seed)
    made.actions = plan.actions?.filter { $0 < actionCount } ?? Set(0..<actionCount)
    made.draws = Dictionary(draws.map { (tasks.position($0.number, of: $0.task), $0.value) }) { first, _ in first }
    made.steps = steps
    return made
  }

  /// The random numbers for one choice.
  static func generator(_ seed: UInt64, _ stream: Stream, _ number: Int) -> SeededGenerator {
    generator(seed, stream, UInt64(number))
  }

  static func generator(_ seed: UInt64, _ stream: Stream, _ number: UInt64) -> SeededGenerator {
    var seeds = SeededGenerator(seed: seed &* 4 &+ stream.rawValue)
    let start = seeds.next()
    var numbered = SeededGenerator(seed: start &+ number &* 0xD6E8_FEB8_6659_FD93)
    return SeededGenerator(seed: numbered.next())
  }
}

/// A number for a sequence of numbers and texts, the same in each process: FNV-1a.
struct Fingerprint: Equatable {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ number: Int) {
    withUnsafeBytes(of: number.littleEndian) { add($0) }
  }

  mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    add(text.utf8.count)
  }

  private mutating func add(_ bytes: UnsafeRawBufferPointer) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }
}
