/// All worlds of a seed with up to a number of preemptions, those with fewer first.
struct Exploring {
  /// A plan that is still to be run.
  private struct Pending {
    var plan: SimulationPlan
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
    var first = SimulationPlan(seed: seed)
    first.explored = ExploredPrefix()
    pending = Array(repeating: [], count: max(preemptions, 0) + 1)
    pending[0].append(Pending(plan: first, settled: 0, preemptions: 0))
    self.limit = limit
  }

  /// The next plan, or nil when all were run, or as many as there may be.
  ///
  /// - Parameter result: the result of the plan before, if there was one.
  mutating func next(after result: WorldRun.Result?) -> SimulationPlan? {
    if let choices = result?.explored?.choices, let running { add(choices, after: running) }
    guard let bound = pending.firstIndex(where: { !$0.isEmpty }) else { return nil }
    isCut = count >= limit
    if isCut { return nil }
    count += 1
    running = pending[bound].removeLast()
    return running?.plan
  }

  /// Adds the plans that differ from the one that was run at one choice that was not settled yet.
  private mutating func add(_ choices: [ExploredChoices.Choice], after ran: Pending) {
    hadChoice = hadChoice || !choices.isEmpty
    for index in choices.indices.dropFirst(ran.settled).reversed() {
      let choice = choices[index]
      for (alternatives, preemptions) in [(choice.free, ran.preemptions), (choice.preemptive, ran.preemptions + 1)]
      where pending.indices.contains(preemptions) {
        for alternative in alternatives.reversed() {
          var plan = ran.plan
          switch choice.place {
          case .step(let step): plan.explored?.steps[step] = alternative
          case .draw(let draw): plan.explored?.draws[draw] = alternative
          }
          pending[preemptions].append(Pending(plan: plan, settled: index + 1, preemptions: preemptions))
        }
      }
    }
  }
}
