import Millrace
import Testing

@testable import MillraceTesting

@Suite("Simulation, with planted bugs")
struct PlantedBugTests {
  /// The plan that a simulation shrinks its first failure to, after it was seen to fail again by its text.
  private func smallest(_ rule: String, _ body: @escaping Simulation.Body) async throws -> Simulation.Plan {
    let failures = Recorder<Failure>()
    let report = await FailureReporter.$collector.withValue(FailureCollector { failures.record($0) }) {
      await Simulation.run(seeds: 0..<1_000, body)
    }
    let plan = try #require(report.failingPlan)
    _ = await FailureReporter.$collector.withValue(FailureCollector { failures.record($0) }) {
      await Simulation.run(plan: "\(plan)", body)
    }
    #expect(failures.recorded.count == 2)
    for failure in failures.recorded { #expect(failure.message.contains(": this does not hold: \(rule).\n")) }
    return plan
  }

  @Test("An update that is lost between a read and a write needs two actions, no fault and one decision")
  func lostUpdate() async throws {
    let plan = try await smallest("nothing is lost") { world in
      let count = Box(0)
      let actions = world.actions(12, from: [1, 2])
      await withTaskGroup { group in
        for _ in actions {
          group.addTask {
            if world.fault(0.5) { await Task.yield() }
            let read = count.value
            await Task.yield()
            count.value = read + 1
          }
        }
      }
      world.expect(count.value == actions.count, "nothing is lost")
    }
    #expect(plan.actions?.count == 2 && plan.draws == [:], "\(plan)")
    // Where the longest waiting task runs first, both have read before one writes.
    #expect(plan.steps == [:])
  }

  @Test("A gateway that is called again after a fault that came too late needs one action and one fault")
  func doubleCharge() async throws {
    let plan = try await smallest("nobody pays twice") { world in
      let charges = Box<[Int]>([])
      for action in world.actions(8, { Int.random(in: 0..<1_000_000, using: &$0) }) {
        for _ in 1...2 {
          charges.value.append(action)
          // The answer is lost after the gateway has done its work.
          if !world.fault(0.05) { break }
        }
      }
      let all = charges.value
      world.expect(Set(all).count == all.count, "nobody pays twice")
    }
    #expect(plan.actions?.count == 1 && plan.draws?.count == 1 && plan.steps == [:], "\(plan)")
  }

  @Test("An answer that overtakes an earlier one needs two actions and one decision")
  func overtaking() async throws {
    let plan = try await smallest("the newest answer is shown") { world in
      let shown = Box(-1)
      let queries = world.actions(6, from: [1]).indices
      await withTaskGroup { group in
        for query in queries {
          group.addTask {
            await Task.yield()
            shown.value = query
          }
        }
      }
      world.expect(shown.value == queries.last ?? -1, "the newest answer is shown")
    }
    #expect(plan.actions?.count == 2 && plan.draws == [:] && plan.steps?.count == 1, "\(plan)")
  }

  @Test("Exploring finds what only one interleaving shows, and runs each of the others once")
  func explore() async throws {
    let runs = Box(0)
    let body: Simulation.Body = { world in
      runs.value += 1
      let idle = TwoTasks.Idle()
      let order = await TwoTasks.order { await idle.call() }
      world.expect(order != "abab", "the tasks do not take turns")
    }
    let one = await Simulation.explore(preemptions: 1, body)
    #expect(one.failingPlan == nil && one.worlds == runs.value)
    let failures = Recorder<Failure>()
    let two = await FailureReporter.$collector.withValue(FailureCollector { failures.record($0) }) {
      await Simulation.explore(preemptions: 2, body)
    }
    #expect(two.failingPlan != nil)
    #expect(failures.recorded.count == 1)

    // The text has the interleaving that failed, which is run again by it.
    let message = try #require(failures.recorded.first?.message)
    let beginning = "To run it again: Simulation.run(plan: \""
    let line = try #require(message.split(separator: "\n").first { $0.hasPrefix(beginning) })
    let plan = line.dropFirst(beginning.count).dropLast("\")".count)
    let again = await FailureReporter.$collector.withValue(FailureCollector { failures.record($0) }) {
      await Simulation.run(plan: String(plan), body)
    }
    #expect(again.failingPlan == Simulation.Plan(String(plan)) && failures.recorded.count == 2)
  }

  @Test("More interleavings than the limit fail the test, with the fix")
  func limit() async {
    let failures = Recorder<Failure>()
    let report = await FailureReporter.$collector.withValue(FailureCollector { failures.record($0) }) {
      await Simulation.explore(preemptions: 3, limit: 10) { _ in
        await withTaskGroup { group in
          for _ in 0..<5 { group.addTask {} }
        }
      }
    }
    #expect(report.worlds == 10)
    #expect(
      failures.recorded.map(\.message) == [
        """
        There are more than 10 interleavings with up to 3 preemptions; explore fewer preemptions, a smaller scenario, or give a \
        higher limit.
        """
      ])
  }
}
