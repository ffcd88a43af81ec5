import Foundation
import Millrace
import Testing

@testable import MillraceTesting

@Suite("Simulation")
struct SimulationTests {
  /// A store of tests whose handler begins tasks of its own, as an ordinary one with a stream does.
  struct Letters: Interactor {
    enum Action: Sendable { case write(String) }
    typealias Mutation = String
    typealias State = [String]

    func handle(_ action: Action, state: State) -> AsyncStream<String> {
      AsyncStream { continuation in
        let task = Task {
          guard case .write(let word) = action else { return }
          for letter in word {
            continuation.yield(String(letter))
            await Task.yield()
          }
          continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
      }
    }

    static func reduce(into state: inout State, mutation: String) {
      state.append(mutation)
    }
  }

  private static func write(_ world: World, _ words: [String], _ texts: Recorder<String>) async {
    let store = Store(initial: [], interactor: Letters(), configuration: world.configuration)
    let receipts = words.map { store.send(.write($0)) }
    for receipt in receipts { #expect(await receipt.outcome.kind == .finished) }
    texts.record(await store.state.joined())
  }

  @Test("Tasks that a handler begins are interleaved by the seed, and the same seed gives the same order")
  func interleaving() async {
    let texts = Recorder<String>()
    let first = await Simulation.run(seeds: 0..<40) { await Self.write($0, ["abc", "xyz"], texts) }
    let once = texts.recorded
    let second = await Simulation.run(seeds: 0..<40) { await Self.write($0, ["abc", "xyz"], texts) }
    #expect(texts.recorded.suffix(40) == once[...])
    #expect(first.fingerprint == second.fingerprint && first.steps == second.steps)
    #expect(Set(once).count > 5, "\(Set(once))")
    for text in once { #expect(text.filter("abc".contains) == "abc" && text.filter("xyz".contains) == "xyz") }
  }

  @Test("Time stands while something can run, and moves to the next deadline")
  func time() async {
    let report = await Simulation.run(seeds: 0..<10) { world in
      let order = Recorder<Int>()
      await withTaskGroup { group in
        for seconds in [3600, 60, 86400] {
          group.addTask {
            try? await world.clock.sleep(for: .seconds(seconds))
            order.record(seconds)
          }
        }
      }
      world.expect(order.recorded == [60, 3600, 86400], "they wake in the order of their deadlines")
      world.expect(world.clock.now.offset == .seconds(86400), "a day has passed")
    }
    #expect(report.worlds == 10 && report.failingPlan == nil)
  }

  @Test("The main actor's work is the world's")
  @MainActor
  func mainActor() async {
    let report = await Simulation.run(seeds: 0..<5) { world in
      let number = await MainActor.run {
        MainActor.assertIsolated()
        return 1
      }
      world.expect(number == 1 && JobQueue.isOwnedByThisThread, "the body goes on in its world")
    }
    #expect(report.failingPlan == nil)
  }

  /// What a simulation fails with.
  private func failures(_ run: () async -> SimulationReport) async -> (texts: [String], report: SimulationReport) {
    let failures = Recorder<Failure>()
    let report = await FailureReporter.$collector.withValue(FailureCollector { failures.record($0) }, operation: run)
    return (failures.recorded.map(\.message), report)
  }

  @Test("A sleep on a clock of the system is named as an escape")
  func sleep() async {
    let (texts, _) = await failures {
      await Simulation.run(seed: 7) { _ in try await Task.sleep(for: .milliseconds(1)) }
    }
    #expect(
      texts.first?.split(separator: "\n").first
        == """
        Seed 7: task 1 of the world sleeps on a clock of the system (Task.sleep, ContinuousClock), which no seed decides; give \
        what sleeps the world's clock.
        """)
  }

  @Test("A task that another thread resumes is named as an escape")
  func thread() async {
    let (texts, _) = await failures {
      await Simulation.run(seed: 7) { _ in
        let isSuspended = DispatchSemaphore(value: 0)
        // It runs when the body has suspended, and what is resumed before that goes on where it is.
        Task { isSuspended.signal() }
        await withCheckedContinuation { continuation in
          Thread.detachNewThread {
            isSuspended.wait()
            continuation.resume()
          }
        }
      }
    }
    #expect(
      texts.first?.split(separator: "\n").first
        == """
        Seed 7: task 1 of the world was resumed by another thread (a thread, a dispatch queue, a socket, a file), which no seed \
        decides; put a fake in the place of what works there.
        """)
  }

  @Test("A body that waits for what never comes fails, and does not hang")
  func standsStill() async {
    let (texts, _) = await failures {
      await Simulation.run(seed: 7) { _ in try await Gate().enter() }
    }
    #expect(
      texts.first?.split(separator: "\n").first
        == """
        Seed 7: the body has not returned, and nothing is left that could go on; resume what it waits for (a gate, a held call, \
        a continuation), or put a fake in the place of what works on another thread.
        """)
  }

  @Test("An expectation in the body fails its seed, is shrunk, and is no issue of its own")
  func expectation() async throws {
    let (texts, report) = await failures {
      await Simulation.run(seeds: 0..<100, shrinkingAttempts: 20) { world in
        let numbers = world.actions(5) { Int.random(in: 0..<10, using: &$0) }
        #expect(!numbers.contains(7), "there is no seven")
      }
    }
    #expect(report.failingPlan?.actions?.count == 1)
    let line = #line - 4
    let first = try #require(texts.first?.split(separator: "\n").first)
    #expect(
      first.hasPrefix(
        "Seed \(try #require(report.failingPlan).seed): SimulationTests.swift:\(line): Expectation failed: "))
    #expect(first.hasSuffix(" (there is no seven)."))
  }

  @Test("What comes to hold after its time is over came too late, also where the time has jumped past that")
  func late() async {
    let (texts, report) = await failures {
      await Simulation.run(seeds: 0..<3) { world in
        let isLoaded = Shared(false)
        world.eventually("it is loaded in time", within: .seconds(5)) { isLoaded.value }
        try await world.clock.sleep(for: .seconds(Int64(world.seed) * 3))
        isLoaded.value = true
      }
    }
    #expect(report.failingPlan?.seed == 2 && report.worlds == 3)
    #expect(texts.first?.hasPrefix("Seed 2: this never came to hold: it is loaded in time.\n") == true)
  }

  @Test("What has to hold always is asked after each step")
  func always() async {
    let (texts, _) = await failures {
      await Simulation.run(seed: 5) { world in
        let count = Shared(0)
        world.always("there are at most two") { count.value <= 2 }
        for _ in 0..<5 {
          count.value += 1
          await Task.yield()
        }
        count.value = 0
      }
    }
    #expect(
      texts.first?.hasPrefix("Seed 5: this does not hold always: there are at most two.\nIt happened after 5 steps")
        == true)
  }

  @Test("A simulation in the world of another one fails, and leaves that world as it is")
  func nested() async {
    let (texts, report) = await failures {
      await Simulation.run(seed: 5) { world in
        await Simulation.run(seed: 6) { _ in }
        world.expect(JobQueue.isOwnedByThisThread, "the body goes on in its world")
      }
    }
    #expect(report.failingPlan != nil)
    #expect(
      texts.first?.hasPrefix(
        "Seed 5: A simulation was begun in the world of another one; run it in a test of its own.\n")
        == true)
  }

  @Test("The faults of fakes are drawn from the seed, and shrunk to those that fail")
  func faults() async throws {
    let (_, report) = await failures {
      await Simulation.run(seeds: 0..<200) { world in
        let call = FakeCall<Int, Int>("double")
        call.always { $0 * 2 }
        call.inject(world.faults(latency: .uniform(.zero ... .seconds(1)), [.reset: 0.1, .timeout: 0.05]))
        for number in world.actions(10, from: [1, 2, 3]) {
          world.expect(try await call(number) == number * 2, "it doubles")
        }
      }
    }
    let plan = try #require(report.failingPlan)
    #expect(plan.actions?.count == 1 && plan.draws?.count ?? 9 <= 2, "\(plan)")
  }
}
