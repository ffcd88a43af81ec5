import Testing

@testable import MillraceTesting

@Suite("ChoiceRule")
struct ChoiceRuleTests {
  /// The tasks that run at the first steps of a seed when all of them are always ready.
  private func run(_ seed: UInt64, _ tasks: ClosedRange<Int>, steps: Int) -> [Int] {
    var rule = ChoiceRule(seed: seed)
    return (0..<steps).map { tasks.lowerBound + rule.choose($0, among: tasks) }
  }

  @Test("Three seeds in a row have three searches, and depths and lengths are drawn from the seed")
  func kinds() {
    let kinds = (0..<3_000).map { ChoiceRule(seed: $0).kind }
    #expect(kinds.filter { $0 == .uniform }.count == 1_000)
    #expect(kinds.filter { $0 == .weights }.count == 1_000)
    var priorities: Set<ChoiceRule.Kind> = []
    for kind in kinds { if case .priorities = kind { priorities.insert(kind) } }
    let all = (2...5).flatMap { depth in (4...12).map { ChoiceRule.Kind.priorities(depth: depth, length: 1 << $0) } }
    #expect(priorities == Set(all))
  }

  @Test("Uniform choice runs each task as often as the others")
  func uniform() {
    let ran = run(3, 1...4, steps: 4_000)
    for task in 1...4 { #expect((900...1_100).contains(ran.filter { $0 == task }.count)) }
  }

  @Test("With weights a task runs as often as its weight says, which is another one in another world")
  func weights() {
    func shares(_ seed: UInt64) -> [Int] {
      let ran = run(seed, 1...2, steps: 1_300)
      return [1, 2].map { task in ran.filter { $0 == task }.count }
    }
    let all = (0..<300).map { shares(1 + 3 * $0) }
    // A weight of 64 beside one of 1 leaves 20 steps of 1,300.
    #expect(all.contains { $0[0] < 50 } && all.contains { $0[1] < 50 })
    #expect(all.contains { (550...750).contains($0[0]) })
  }

  @Test("With priorities one task runs until its priority changes, which happens `depth` - 1 times")
  func priorities() {
    for seed in stride(from: UInt64(2), to: 602, by: 3) {
      guard case .priorities(let depth, let length) = ChoiceRule(seed: seed).kind else { continue }
      let ran = run(seed, 1...9, steps: length)
      let changes = zip(ran, ran.dropFirst()).filter { $0 != $1 }.count
      // The first step may be one of the changes.
      #expect(changes == depth - 1 || changes == depth - 2, "seed \(seed): \(changes) of \(depth - 1)")
      // A priority that was lowered is below all others.
      #expect(Set(ran).count == changes + 1)
    }
  }

  @Test("A task that yields has the lowest priority from then on")
  func yields() {
    var rule = ChoiceRule(seed: 2)
    var ran: [Int] = []
    for step in 0..<3 {
      ran.append(1 + rule.choose(step, among: 1...3))
      rule.yielded(ran[step])
    }
    #expect(Set(ran) == [1, 2, 3])
    #expect(1 + rule.choose(3, among: 1...3) == ran[0])
  }

  @Test("Priorities end after 16 times the assumed length, so that a task that waits in a loop for another ends")
  func priorityEnds() {
    let seed = UInt64(2)
    guard case .priorities(_, let length) = ChoiceRule(seed: seed).kind else { return #expect(Bool(false)) }
    let ran = run(seed, 1...2, steps: 16 * length + 100)
    #expect(Set(ran[(15 * length)..<(16 * length)]).count == 1)
    #expect(Set(ran[(16 * length)...]) == [1, 2])
  }

  @Test("The choice rule of a seed depends only on the seed")
  func sameAgain() {
    for seed in UInt64(0)..<30 { #expect(run(seed, 0...4, steps: 200) == run(seed, 0...4, steps: 200)) }
  }

  @Test(
    "A failure names the choice rule of its seed, and the failure of a plan names no rule",
    arguments: [0, 1, 2] as [UInt64])
  func named(seed: UInt64) async throws {
    let failures = Failures()
    var plan = Simulation.Plan(seed: seed)
    await failures.collect { await Simulation.run(seed: seed) { $0.expect(false, "it fails") } }
    plan.steps = [:]
    await failures.collect { await Simulation.run(plan: "\(plan)") { $0.expect(false, "it fails") } }
    try #require(failures.messages.count == 2)
    #expect(failures.messages[0].contains("in world 1 of this simulation, by \(ChoiceRule(seed: seed).kind).\n"))
    #expect(failures.messages[1].contains("in world 1 of this simulation.\n"))
  }

  @Test(
    "A task that waits for another in a loop of yields, or of calls of an actor, ends under each choice rule",
    arguments: [true, false])
  func loops(yields: Bool) async {
    let report = await Simulation.run(seeds: 0..<60, options: .init(maximumSteps: 200_000)) { _ in
      await TwoTasks.waitInALoop(yields: yields)
    }
    #expect(report.failingPlan == nil)
  }
}
