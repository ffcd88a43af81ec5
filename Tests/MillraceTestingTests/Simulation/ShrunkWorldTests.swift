import Millrace
import Testing

@testable import MillraceTesting

@Suite("Shrinking of worlds")
struct ShrunkWorldTests {
  /// Each action begins a task that draws a time, and is shown after it; three of them must not be shown from the last letter to the first.
  private static let letters: Simulation.Body = { world in
    let shown = Recorder<String>()
    await withTaskGroup { group in
      for letter in world.actions(20, from: ["a", "b", "c", "d", "e"]) {
        group.addTask {
          let time = world.duration(in: .zero ... .seconds(1))
          world.note("\(letter) takes \(time)")
          try? await world.clock.sleep(for: time)
          shown.record(letter)
        }
      }
    }
    let order = shown.recorded.filter { "ace".contains($0) }.reduce(into: "e") { rest, letter in
      if rest.last.map(String.init) == letter { rest += letter == "e" ? "c" : letter == "c" ? "a" : "." }
    }
    world.expect(!order.hasSuffix("."), "e, c and a are not shown in this order")
  }

  @Test("A bug that needs three of many actions is left with three, and they draw what they drew among the others")
  func threeActions() async throws {
    for first in stride(from: UInt64(0), to: 60, by: 10) {
      let report = await Simulation.run(seeds: first..<first + 1_000, options: .init(reporting: false), Self.letters)
      let failure = try #require(report.failures.first)
      #expect(failure.plan.actions?.count == 3, "\(failure.plan)")
      let run = WorldRun(origin: SimulationOrigin(), body: Self.letters)
      let (whole, smallest) = (
        await run(Simulation.Plan(seed: failure.plan.seed)).notes, await run(failure.plan).notes
      )
      #expect(smallest.count == 3 && whole.count == 20)
      // A draw that is left out is the least there is.
      for note in smallest { #expect(whole.contains(note) || note.hasSuffix(" takes 0.0 seconds"), "\(note)") }
      let drawn = smallest.filter { !$0.hasSuffix(" takes 0.0 seconds") }
      #expect(drawn.count == failure.plan.draws?.count && drawn.count <= 2)
      for note in drawn {
        let value = note.split(separator: " takes ").last ?? ""
        #expect(failure.description.contains(": draws the duration \(value)\n"))
      }
      #expect(failure.description.contains(" draws the least there is, not the duration "))
    }
  }

  @Test("Actions whose tasks meet by the order alone are left out too, and the steps of the others stay")
  func order() async throws {
    let report = await Simulation.run(seeds: 0..<1_000, options: .init(reporting: false)) { world in
      let written = Recorder<Int>()
      let actions = world.actions(12, from: Array(0..<6))
      await withTaskGroup { group in
        for number in actions { group.addTask { written.record(number) } }
      }
      let order = written.recorded
      let places = [5, 3, 1].map { order.lastIndex(of: $0) ?? -1 }
      world.expect(
        places[0] < 0 || places != places.sorted() || Set(places).count < 3, "5, 3 and 1 are not in this order")
    }
    let plan = try #require(report.failingPlan)
    #expect(plan.actions?.count == 3 && plan.draws == [:], "\(plan)")
  }

  @Test("A task draws the same in each order of the tasks")
  func draws() async throws {
    let body: Simulation.Body = { world in
      await withTaskGroup { group in
        for number in 0..<3 {
          group.addTask {
            for _ in 0..<2 {
              world.note("\(number): \(world.duration(in: .zero ... .seconds(1)))")
              await Task.yield()
            }
          }
        }
      }
    }
    let run = WorldRun(origin: SimulationOrigin(), body: body)
    var notes: Set<[String]> = [], orders: Set<[String]> = []
    for steps in ["none", "1.1.0=1", "1.1.0=2,1.2.1=1", "1.3.1=1,1.2.0=1"] {
      let result = await run(try #require(Simulation.Plan("7 steps \(steps)")))
      orders.insert(result.notes)
      notes.insert(result.notes.sorted())
    }
    #expect(notes.count == 1 && orders.count == 4)
  }

  @Test("A draw of a fake's latency is shown as the time that was drawn")
  func latency() async throws {
    let report = await Simulation.run(seeds: 0..<100, options: .init(reporting: false)) { world in
      let call = FakeCall<Int, Int>("load")
      call.always { $0 }
      call.inject(world.faults(latency: .uniform(.zero ... .seconds(1))))
      _ = try await call(1)
      world.expect(world.clock.now.offset < .milliseconds(500), "it is fast")
    }
    let text = try #require(report.failures.first?.description)
    let line = try #require(text.split(separator: "\n").first { $0.contains("The nearest plan that passes") })
    #expect(line.contains("the body draws the least there is, not the latency 0."), "\(line)")
    #expect(text.contains("the body: draws the latency 0."))
  }
}
