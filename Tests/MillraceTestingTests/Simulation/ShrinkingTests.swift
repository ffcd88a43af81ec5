import Testing

@testable import MillraceTesting

@Suite("Shrinking")
struct ShrinkingTests {
  /// A plan with `count` choices of each kind, all of the body.
  private func plan(_ count: Int) -> Simulation.Plan {
    var plan = Simulation.Plan(seed: 1)
    plan.actions = Set(0..<count)
    plan.draws = Dictionary(uniqueKeysWithValues: (0..<count).map { (position($0), 1) })
    plan.steps = plan.draws
    return plan
  }

  private func position(_ number: Int) -> Simulation.Plan.Position {
    Simulation.Plan.Position(task: [1], number: number)
  }

  @Test("Choices that do not matter are left out, to the last one", arguments: [1, 2, 3, 10, 64, 100])
  func smallest(count: Int) async {
    let needed: Set<Int> = [0, count / 2, count - 1]
    var shrinking = Shrinking(attempts: 10_000) { plan in
      needed.isSubset(of: plan.actions!) && plan.draws![position(count / 3)] != nil
        && plan.steps![position(count - 1)] != nil ? plan : nil
    }
    let smallest = await shrinking.smallest(plan(count))
    #expect(smallest.actions == needed)
    #expect(smallest.draws == [position(count / 3): 1] && smallest.steps == [position(count - 1): 1])
  }

  @Test("No more plans are tried than was asked for")
  func attempts() async {
    var tried = 0
    var shrinking = Shrinking(attempts: 7) { plan in
      tried += 1
      return nil
    }
    let smallest = await shrinking.smallest(plan(100))
    #expect(smallest == plan(100))
    #expect(tried == 7 && shrinking.remaining == 0)
  }

  @Test("Choices that a plan did not reach are left out with those that were left out for it")
  func follows() async {
    // The draws are made by the actions of their numbers.
    var shrinking = Shrinking(attempts: 1_000) { plan in
      guard plan.actions!.contains(5) else { return nil }
      var made = plan
      made.draws = plan.draws!.filter { plan.actions!.contains($0.key.number) }
      return made
    }
    let smallest = await shrinking.smallest(plan(20))
    #expect(smallest.actions == [5] && smallest.draws == [:] && smallest.steps == [:])
  }

  @Test(
    "An action is left out with its draws, steps and tasks, so that those of the actions behind it have lower numbers")
  func renumbered() async {
    // Each action comes to one draw, two steps and three tasks, and fails with these choices alone.
    var shrinking = Shrinking(attempts: 1_000) { plan in
      let last = plan.actions!.count - 1
      let task = Simulation.Plan.Position(task: [1, 3 * last + 2, 1], number: 5)
      return plan.draws == [position(last): 1] && plan.steps == [position(2 * last + 1): 1, task: 2] ? plan : nil
    }
    var first = plan(40)
    first.actions = Set(0..<34)
    first.draws = [position(33): 1]
    first.steps = [position(67): 1, Simulation.Plan.Position(task: [1, 101, 1], number: 5): 2]
    let smallest = await shrinking.smallest(first)
    #expect("\(smallest)".dropFirst(1).hasSuffix("draws 1.0=1 steps 1.1=1,1.2.1.5=2") && smallest.actions?.count == 1)
  }

  @Test("A step gives way no more often than it has to", arguments: [1, 2, 5, 9])
  func lessened(times: Int) async {
    var shrinking = Shrinking(attempts: 1_000) { plan in plan.steps![position(0)] ?? 0 >= times ? plan : nil }
    var first = plan(1)
    first.steps = [position(0): 40]
    #expect(await shrinking.smallest(first).steps == [position(0): times])
  }
}
