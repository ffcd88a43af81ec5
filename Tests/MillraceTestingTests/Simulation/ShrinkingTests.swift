import Testing

@testable import MillraceTesting

@Suite("Shrinking")
struct ShrinkingTests {
  /// A plan with `count` choices of each kind.
  private func plan(_ count: Int) -> SimulationPlan {
    var plan = SimulationPlan(seed: 1)
    plan.actions = Set(0..<count)
    plan.draws = Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, 1) })
    plan.steps = plan.draws
    return plan
  }

  @Test("Choices that do not matter are left out, to the last one", arguments: [1, 2, 3, 10, 64, 100])
  func smallest(count: Int) async {
    let needed: Set<Int> = [0, count / 2, count - 1]
    var shrinking = Shrinking(attempts: 10_000) { plan in
      needed.isSubset(of: plan.actions!) && plan.draws![count / 3] != nil && plan.steps![count - 1] != nil
        ? plan : nil
    }
    let smallest = await shrinking.smallest(plan(count))
    #expect(smallest.actions == needed && smallest.draws == [count / 3: 1] && smallest.steps == [count - 1: 1])
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
      made.draws = plan.draws!.filter { plan.actions!.contains($0.key) }
      return made
    }
    let smallest = await shrinking.smallest(plan(20))
    #expect(smallest.actions == [5] && smallest.draws == [:] && smallest.steps == [:])
  }

  @Test("A choice is made earlier where it can be, so that what goes before it can be left out")
  func earlier() async {
    // Each action comes to one draw, and the last one fails.
    var shrinking = Shrinking(attempts: 1_000) { plan in
      let count = plan.actions!.count
      var made = plan
      made.draws = plan.draws!.filter { $0.key < count }
      return made.draws!.isEmpty ? nil : made
    }
    var first = plan(40)
    first.draws = [33: 1]
    let smallest = await shrinking.smallest(first)
    #expect(smallest.actions?.count == 1 && smallest.draws == [0: 1])
  }
}
