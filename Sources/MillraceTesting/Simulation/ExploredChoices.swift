/// The first choices of a world that is explored, by the numbers of its steps and draws; it makes the others by itself.
struct ExploredPrefix: Sendable, Hashable {
  /// The indexes of the jobs that run.
  var steps: [Int: Int] = [:]
  var draws: [Int: Int] = [:]
}

/// The choices of one world among all that are explored, in their order, with the alternatives of each.
///
/// The task that runs continues as long as it can, and one that yields lets the others go first. To choose otherwise is a
/// *preemption*. It is none to choose who runs when a task waits or has ended, as Musuvathi and Qadeer count (CHESS, 2007).
struct ExploredChoices: Sendable {
  enum Place: Hashable, Sendable {
    case step(Int), draw(Int)
  }

  struct Choice: Sendable {
    let place: Place
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
    choices.append(Choice(place: .draw(number), chosen: drawn, free: all.filter { $0 != drawn }))
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
          place: .step(step), chosen: chosen, free: preferred.filter { $0 != chosen },
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
