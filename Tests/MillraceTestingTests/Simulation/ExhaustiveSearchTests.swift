import Millrace
import Testing

@testable import MillraceTesting

@Suite("ExhaustiveSearch")
struct ExhaustiveSearchTests {
  /// The orders in which two tasks come to their two steps, in all worlds.
  private func orders(
    _ preemptions: Int, _ between: @escaping @Sendable () async -> Void
  ) async -> (all: [String], report: Simulation.Report) {
    let orders = Recorder<String>()
    let report = await Simulation.explore(preemptions: preemptions) { _ in
      orders.record(await TwoTasks.order(between))
    }
    return (orders.recorded, report)
  }

  @Test("Without a preemption each task ends before another begins, in all orders; each preemption adds one break")
  func preemptions() async {
    let idle = TwoTasks.Idle()
    let none = await orders(0) { await idle.call() }
    #expect(Set(none.all) == ["aabb", "bbaa"])
    #expect(none.report.worlds == none.all.count)
    let one = await orders(1) { await idle.call() }
    #expect(Set(one.all) == ["aabb", "bbaa", "abba", "baab"])
    // Those with fewer preemptions come first.
    #expect(Array(one.all.prefix(none.all.count)) == none.all)
    let two = await orders(2) { await idle.call() }
    #expect(Set(two.all) == ["aabb", "bbaa", "abba", "baab", "abab", "baba"])
  }

  @Test("A task continues for 1,000 steps, if it does not yield before")
  func longestStretch() {
    var choices = ChoicePath()
    let chosen = (0..<1_002).map { choices.add(step: $0, among: [7, 8], nil) }
    #expect(chosen == Array(repeating: 0, count: 1_000) + [1, 1])
  }

  @Test("As many interleavings are explored as the limit says", arguments: [1, 2, 3])
  func limit(limit: Int) async {
    let idle = TwoTasks.Idle()
    let worlds = await orders(0) { await idle.call() }.report.worlds
    let failures = Failures()
    var explored = 0
    await failures.collect {
      explored = await Simulation.explore(preemptions: 0, limit: worlds - 2 + limit) { _ in
        _ = await TwoTasks.order { await idle.call() }
      }.worlds
    }
    #expect(explored == min(worlds, worlds - 2 + limit))
    #expect(failures.messages.isEmpty == (limit >= 2))
  }

  @Test("A task that yields lets the others go first; to continue it all the same is a preemption")
  func yields() async {
    let none = await orders(0) { await Task.yield() }
    let one = await orders(1) { await Task.yield() }
    #expect(Set(none.all) == ["abab", "baba"])
    #expect(Set(one.all) == ["abab", "baba", "aabb", "bbaa", "abba", "baab"])
  }

  @Test("Each fault and none, each element, and of each duration the shortest and the longest are run")
  func draws() async {
    let drawn = Recorder<String>()
    let report = await Simulation.explore(preemptions: 2) { world in
      let isFaulty = world.fault(0.01)
      let certain = world.fault(1)
      let element = world.element(of: ["a", "b", "c"]) ?? ""
      let duration = world.duration(in: .zero ... .seconds(9))
      drawn.record("\(isFaulty) \(certain) \(element) \(duration)")
    }
    let all = [false, true].flatMap { fault in
      ["a", "b", "c"].flatMap { element in ["0.0", "9.0"].map { "\(fault) true \(element) \($0) seconds" } }
    }
    #expect(drawn.recorded.sorted() == all.sorted())
    #expect(report.worlds == 12 && report.failingPlan == nil)
  }

  @Test("Both orders of coinciding deadlines are run")
  func coinciding() async {
    let orders = Recorder<[Int]>()
    await Simulation.explore(preemptions: 0) { world in
      let order = Recorder<Int>()
      await withTaskGroup { group in
        for number in 1...2 {
          group.addTask {
            try? await world.clock.sleep(for: .seconds(1))
            order.record(number)
          }
        }
      }
      orders.record(order.recorded)
    }
    #expect(Set(orders.recorded) == [[1, 2], [2, 1]])
  }

  @Test("Latencies of fakes are the shortest and the longest, and their faults come or do not")
  func fakes() async {
    let results = Recorder<String>()
    await Simulation.explore(preemptions: 0) { world in
      let call = FakeCall<Int, Int>("double")
      call.always { $0 * 2 }
      call.inject(world.faults(latency: .uniform(.zero ... .seconds(1)), [.reset: 0.01]))
      let reply = (try? await call(1)).map(String.init) ?? "reset"
      results.record("\(reply) \(world.clock.now.offset > .milliseconds(500))")
    }
    #expect(Set(results.recorded) == ["2 false", "2 true", "reset false", "reset true"])
  }

  @Test("A bug that needs time and an order is found, and its plan fails again")
  func needsTime() async throws {
    let failures = Failures()
    let body: Simulation.Body = { world in
      let shown = Box(0)
      await withTaskGroup { group in
        for number in 1...2 {
          group.addTask {
            try? await world.clock.sleep(for: world.duration(in: .zero ... .seconds(1)))
            shown.value = number
          }
        }
      }
      world.expect(shown.value == 2, "the last one is shown")
    }
    var report = Simulation.Report()
    await failures.collect { report = await Simulation.explore(preemptions: 0, body) }
    let plan = try #require(report.failingPlan)
    await failures.collect { await Simulation.run(plan: "\(plan)", body) }
    #expect(failures.messages.count == 2)
  }

  @Test("A world that leaves nothing to choose fails the test, with the fix")
  func nothing() async {
    let failures = Failures()
    await failures.collect {
      let report = await Simulation.explore(preemptions: 2) { world in try await world.clock.sleep(for: .seconds(1)) }
      #expect(report.worlds == 1)
    }
    #expect(
      failures.messages == [
        """
        There was nothing to choose in the world of seed 0: no two tasks were ready at once, and nothing was drawn, so that one \
        order was run; let tasks run side by side, or draw faults and durations from the world.
        """
      ])
  }

  @Test(
    "A task that waits for another in a loop of calls, or of yields, is not run for ever", arguments: [true, false])
  func loops(yields: Bool) async {
    let report = await Simulation.explore(preemptions: 0) { _ in await TwoTasks.waitInALoop(yields: yields) }
    #expect(report.failingPlan == nil && report.worlds > 1)
  }
}
