/// The rule by which a world chooses the task that runs at each step; the seed selects one of three.
///
/// No rule finds every bug soon. Uniform choice finds bugs that need few wrong steps, wherever these are. Weights find bugs
/// that need one task to be slow, or fast, for a while. Priorities find bugs that need a known number of changes
/// at certain steps, with a probability that has a lower bound: PCT, Burckhardt and others, 2010.
struct ChoiceRule: Sendable {
  enum Kind: Hashable, Sendable, CustomStringConvertible {
    /// Each ready task is as likely as every other one.
    case uniform
    /// Each task has a weight from 1 to 64, which the seed draws.
    case weights
    /// The task with the highest priority runs; at `depth - 1` steps among the first `length` it gets the lowest.
    case priorities(depth: Int, length: Int)

    var description: String {
      switch self {
      case .uniform: "uniform choice"
      case .weights: "a random weight for each task"
      case .priorities(let depth, let length): "random priorities (PCT) of depth \(depth) for \(length) steps"
      }
    }
  }

  let kind: Kind
  private let seed: UInt64

  /// The weights of the tasks so far, by their numbers.
  private var weights: [Int] = []

  /// The priorities of the tasks so far, by their numbers, and the next one that is lower than all others.
  private var priorities: [UInt64] = []
  private var lowest = Self.lowered

  /// The steps at which the priority of a task changes.
  private var changes: Set<Int> = []

  private static let lowered = UInt64(1) << 63

  init(seed: UInt64) {
    self.seed = seed
    var numbers = Choices.generator(seed, .rule, 0)
    switch seed % 3 {
    case 0: kind = .uniform
    case 1: kind = .weights
    default:
      let depth = Int.random(in: 2...5, using: &numbers)
      let length = 1 << Int.random(in: 4...12, using: &numbers)
      kind = .priorities(depth: depth, length: length)
      while changes.count < depth - 1 { changes.insert(Int.random(in: 0..<length, using: &numbers)) }
    }
  }

  /// The index of the task that runs at a step.
  ///
  /// - Parameter tasks: the numbers of the ready tasks, at least two; 0 for the turn of an actor.
  mutating func choose(_ step: Int, among tasks: some RandomAccessCollection<Int>) -> Int {
    var numbers = Choices.generator(seed, .steps, step)
    switch kind {
    case .uniform: return Int.random(in: 0..<tasks.count, using: &numbers)
    case .weights: return chooseByWeight(among: tasks, &numbers)
    // One that waits in a loop for another would wait for ever behind a low priority, so priorities end some time.
    case .priorities(_, let length):
      return step < 16 * length
        ? chooseByPriority(step, among: tasks) : Int.random(in: 0..<tasks.count, using: &numbers)
    }
  }

  private mutating func chooseByWeight(
    among tasks: some RandomAccessCollection<Int>, _ numbers: inout SeededGenerator
  ) -> Int {
    var sum = 0
    for task in tasks {
      while weights.count <= task {
        var own = Choices.generator(seed, .rule, 1 + weights.count)
        weights.append(1 << Int.random(in: 0...6, using: &own))
      }
      sum += weights[task]
    }
    var rest = Int.random(in: 0..<sum, using: &numbers)
    for (index, task) in tasks.enumerated() {
      rest -= weights[task]
      if rest < 0 { return index }
    }
    preconditionFailure("The number is below the sum of the weights.")
  }

  private mutating func chooseByPriority(_ step: Int, among tasks: some RandomAccessCollection<Int>) -> Int {
    var best = highest(tasks)
    if changes.contains(step) {
      lower(tasks[tasks.index(tasks.startIndex, offsetBy: best)])
      best = highest(tasks)
    }
    return best
  }

  /// The index of the task with the highest priority; of several turns of actors the first.
  private mutating func highest(_ tasks: some RandomAccessCollection<Int>) -> Int {
    var best = (index: 0, priority: UInt64.min)
    for (index, task) in tasks.enumerated() {
      while priorities.count <= task {
        var own = Choices.generator(seed, .rule, 1 + priorities.count)
        priorities.append(own.next() | Self.lowered)
      }
      if index == 0 || priorities[task] > best.priority { best = (index, priorities[task]) }
    }
    return best.index
  }

  private mutating func lower(_ task: Int) {
    lowest -= 1
    if priorities.indices.contains(task) { priorities[task] = lowest }
  }

  /// A task yields, so that all others go first.
  mutating func yielded(_ task: Int) {
    if case .priorities = kind { lower(task) }
  }
}
