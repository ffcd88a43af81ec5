/// The search among all worlds of a seed up to a number of preemptions; worlds with fewer preemptions run first.
struct ExhaustiveSearch {
  /// A plan that is still to be run.
  private struct Pending {
    var plan: Simulation.Plan
    /// The number of choices that are settled; those that come later have their alternatives still to be run.
    let settled: Int
    let preemptions: Int
  }

  /// By the number of preemptions; of each number the last one is run first.
  private var pending: [[Pending]]
  private let limit: Int
  private var running: Pending?
  private var count = 0

  /// Whether there were more plans than the limit.
  private(set) var isCut = false

  /// Whether any world had a choice.
  private(set) var hadChoice = false

  init(seed: UInt64, preemptions: Int, limit: Int) {
    var first = Simulation.Plan(seed: seed)
    first.prefix = ChoicePrefix()
    pending = Array(repeating: [], count: max(preemptions, 0) + 1)
    pending[0].append(Pending(plan: first, settled: 0, preemptions: 0))
    self.limit = limit
  }

  /// The next plan, or nil when all were run, or as many as there may be.
  ///
  /// - Parameter result: the result of the plan before, if there was one.
  mutating func next(after result: WorldRun.Result?) -> Simulation.Plan? {
    if let choices = result?.path?.choices, let running { add(choices, after: running) }
    guard let bound = pending.firstIndex(where: { !$0.isEmpty }) else { return nil }
    isCut = count >= limit
    if isCut { return nil }
    count += 1
    running = pending[bound].removeLast()
    return running?.plan
  }

  /// Adds the plans that differ from the one that was run at one choice that was not settled yet.
  private mutating func add(_ choices: [ChoicePath.Choice], after ran: Pending) {
    hadChoice = hadChoice || !choices.isEmpty
    for index in choices.indices.dropFirst(ran.settled).reversed() {
      let choice = choices[index]
      for (alternatives, preemptions) in [(choice.free, ran.preemptions), (choice.preemptive, ran.preemptions + 1)]
      where pending.indices.contains(preemptions) {
        for alternative in alternatives.reversed() {
          var plan = ran.plan
          switch choice.position {
          case .step(let step): plan.prefix?.steps[step] = alternative
          case .draw(let draw): plan.prefix?.draws[draw] = alternative
          }
          pending[preemptions].append(Pending(plan: plan, settled: index + 1, preemptions: preemptions))
        }
      }
    }
  }
}

/// The first choices of a world, by the numbers of its steps and draws; the world makes the later choices by itself.
struct ChoicePrefix: Sendable, Hashable {
  /// The indexes of the jobs that run.
  var steps: [Int: Int] = [:]
  var draws: [Int: Int] = [:]
}

/// The choices of one world of an exhaustive search in order, each with its alternatives.
///
/// The task that runs continues as long as it can, and one that yields lets the others go first. To choose otherwise is a
/// *preemption*. It is none to choose who runs when a task waits or has ended, as Musuvathi and Qadeer count (CHESS, 2007).
struct ChoicePath: Sendable {
  enum Position: Hashable, Sendable {
    case step(Int), draw(Int)
  }

  struct Choice: Sendable {
    let position: Position
    let chosen: Int
    /// The alternatives that are no preemption, and those that are.
    let free: [Int]
    var preemptive: [Int] = []
  }

  private(set) var choices: [Choice] = []

  /// The task that ran at the last step, whether it yielded, and the number of steps that it has run without a break.
  private var running = 0
  private var hasYielded = false
  private var stretch = 0

  /// The number of steps after which a task is taken for one that yields, for it waits for another in a loop.
  private static let longestStretch = 1_000

  /// Adds a draw that has alternatives.
  mutating func add(draw number: Int, _ drawn: Int, upTo limit: Int, _ alternatives: Choices.Alternatives) {
    guard limit > 0 else { return }
    let all = alternatives == .extremes ? [0, limit] : Array(0...limit)
    choices.append(Choice(position: .draw(number), chosen: drawn, free: all.filter { $0 != drawn }))
  }

  /// Adds a step, and returns the index of the job that runs.
  mutating func add(step: Int, among tasks: some RandomAccessCollection<Int>, _ planned: Int?) -> Int {
    let own = running == 0 ? nil : tasks.firstIndex(of: running).map { tasks.distance(from: tasks.startIndex, to: $0) }
    let others = (0..<tasks.count).filter { $0 != own }
    let isContinuing = own != nil && (others.isEmpty || !hasYielded && stretch < Self.longestStretch)
    let preferred = isContinuing ? own.map { [$0] } ?? [] : others
    let chosen = min(planned ?? preferred[0], tasks.count - 1)
    if tasks.count > 1 {
      let rest = isContinuing ? others : own.map { [$0] } ?? []
      choices.append(
        Choice(
          position: .step(step), chosen: chosen, free: preferred.filter { $0 != chosen },
          preemptive: rest.filter { $0 != chosen }))
    }
    let task = tasks[tasks.index(tasks.startIndex, offsetBy: chosen)]
    stretch = task == running ? stretch + 1 : 1
    (running, hasYielded) = (task, false)
    return chosen
  }

  /// Notes that a task yielded in the last step.
  mutating func yielded(_ task: Int) {
    if task == running { hasYielded = true }
  }
}
