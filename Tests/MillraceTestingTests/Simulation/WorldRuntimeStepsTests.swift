import Millrace
import Testing

@testable import MillraceTesting

@Suite("Steps of a plan")
struct WorldRuntimeStepsTests {
  /// The order in which three tasks note their names twice, in the world of a plan.
  private func order(_ plan: String) async throws -> String {
    let result = await WorldRun(origin: SimulationOrigin()) { world in
      await withTaskGroup { group in
        for name in ["a", "b", "c"] {
          group.addTask {
            world.note(name)
            await Task.yield()
            world.note(name)
          }
        }
      }
    }(try #require(Simulation.Plan(plan)))
    #expect(result.failure == nil)
    return result.notes.map { String($0.suffix(1)) }.joined()
  }

  @Test("A step gives way to the next ones as often as the plan says, and the others keep their order")
  func givesWay() async throws {
    #expect(try await order("7 steps none") == "abcabc")
    #expect(try await order("7 steps 1.1.0=1") == "bacbac")
    #expect(try await order("7 steps 1.1.0=2") == "bcabca")
    #expect(try await order("7 steps 1.1.0=1,1.2.0=1") == "cabcab")
    #expect(try await order("7 steps 1.3.1=0,1.2.0=1") == "acbacb")
  }

  @Test("An entry of a plan for a task or a step that does not come is skipped")
  func missing() async throws {
    #expect(try await order("7 steps 1.1.0=1,1.9.0=3,1.2.99=1,5.1.0=2") == "bacbac")
  }

  @Test("The last job gives way to none, and nor do jobs that all give way")
  func allGiveWay() async throws {
    let all = (1...3).flatMap { task in (0...4).map { "1.\(task).\($0)=99" } }.joined(separator: ",")
    #expect(try await order("7 steps \(all)") == "abcabc")
  }

  @Test("The choices that a world made are the same world again", arguments: [false, true])
  func same(hasNode: Bool) async {
    let body: Simulation.Body = { world in
      if hasNode {
        try await OutboxSnippets.outbox(in: world)
      } else {
        await SimulationSnippets.search(.concurrent, in: world)
        await withTaskGroup { group in
          let idle = TwoTasks.Idle()
          for _ in 0..<4 { group.addTask { for _ in 0..<3 { await idle.call() } } }
        }
      }
      world.expect(false, "it fails at the end")
    }
    let run = WorldRun(origin: SimulationOrigin(), body: body)
    for seed in UInt64(0)..<30 {
      let first = await run(Simulation.Plan(seed: seed))
      let again = await run(first.made)
      #expect(first.failure != nil && first.fingerprint == again.fingerprint && first.steps == again.steps)
      #expect(again.made == first.made, "\(first.made)")
    }
  }
}
