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

  /// Commits the id of its run.
  private struct Naming: Interactor {
    typealias Mutation = String
    typealias State = [String]

    func handle(_ action: Int, state: [String]) async -> Effect<Self> {
      Effect { run in run.emit(RunContext.current.map { "\($0.run)" } ?? "") }
    }

    static func reduce(into state: inout [String], mutation: String) { state.append(mutation) }
  }

  @Test("Runs have the same ids under one seed, whatever stores the process had before")
  func runIDs() async {
    let names = Recorder<String>()
    func run() async -> Simulation.Report {
      await Simulation.run(seed: 1) { world in
        for _ in 0..<2 {
          let store = Store(initial: [], interactor: Naming(), configuration: world.configuration)
          _ = await store.send(1).outcome
          names.record(await store.state.joined())
        }
      }
    }
    let (first, second) = await (run(), run())
    #expect(first.failingPlan == nil && first.fingerprint == second.fingerprint)
    #expect(names.recorded.prefix(2) == names.recorded.suffix(2))
    #expect(names.recorded.map { $0.drop { $0 != "@" } } == ["@-1", "@-2", "@-1", "@-2"])
  }

  @Test(
    "Handlers that start on the pool begin in an order that the seed decides, and others in that of their actions",
    arguments: StoreConfiguration.HandlerStart.allCases)
  func handlersStart(start: StoreConfiguration.HandlerStart) async {
    let orders = Recorder<[String]>()
    func run() async -> Simulation.Report {
      await Simulation.run(seeds: 0..<40) { world in
        var configuration = world.configuration
        configuration.handlersStart = start
        let store = Store(initial: [], interactor: Naming(), configuration: configuration)
        let receipts = (1...3).map { store.send($0) }
        for receipt in receipts { #expect(await receipt.outcome.kind == .finished) }
        orders.record(await store.state)
      }
    }
    let (first, second) = await (run(), run())
    #expect(first.failingPlan == nil && first.fingerprint == second.fingerprint)
    #expect(orders.recorded.prefix(40) == orders.recorded.suffix(40))
    #expect(Set(orders.recorded).count == (start == .onPool ? 6 : 1), "\(Set(orders.recorded))")
  }

  private actor Counter {
    var count = 0

    func set(_ count: Int) { self.count = count }
  }

  /// Two tasks add one to what an actor has, and may lose what the other one has added.
  private static func count(in world: World, _ between: @escaping @Sendable () async throws -> Void) async throws {
    let counter = Counter()
    try await withThrowingTaskGroup { group in
      for _ in 0..<2 {
        group.addTask {
          let count = await counter.count
          try await between()
          await counter.set(count + 1)
        }
      }
      try await group.waitForAll()
    }
    let count = await counter.count
    world.expect(count == 2, "nothing is lost")
  }

  @Test("A call of an idle actor is a step of its own, unless hops are no decisions")
  func idleActor() async {
    let without = await Simulation.explore(preemptions: 2, options: .init(hops: .none)) {
      try await Self.count(in: $0) {}
    }
    #expect(without.failingPlan == nil && without.worlds > 1)
    let (texts, report) = await failures {
      await Simulation.explore(preemptions: 1) { try await Self.count(in: $0) {} }
    }
    #expect(texts.first?.hasPrefix("Seed 0: this does not hold: nothing is lost.\n") == true)
    #expect(report.worlds > 1)
    let (found, _) = await failures { await Simulation.run(seeds: 0..<10) { try await Self.count(in: $0) {} } }
    #expect(found.count == 1)
  }

  @Test("A store ends its feedbacks in one order under one seed")
  func feedbacks() async {
    func run() async -> Simulation.Report {
      await Simulation.run(seeds: 0..<50) { world in
        let feedbacks = (0..<8).map { number in
          Feedback<[String], Letters.Action>.run { access in
            try? await access.clock.sleep(for: .seconds(60))
            world.note("\(number) ends")
          }
        }
        let store = Store(
          initial: [], interactor: Letters(), configuration: world.configuration, feedbacks: feedbacks)
        try await world.clock.sleep(for: .seconds(1))
        await store.shutdown()
      }
    }
    let (first, second) = await (run(), run())
    #expect(first.failingPlan == nil && first.fingerprint == second.fingerprint)
  }

  /// The texts of the failures of a simulation, and its report.
  private func failures(_ run: () async -> Simulation.Report) async -> (texts: [String], report: Simulation.Report) {
    let failures = Recorder<Failure>()
    let report = await FailureReporter.$collector.withValue(FailureCollector { failures.record($0) }, operation: run)
    return (failures.recorded.map(\.message), report)
  }

  @Test("A body that waits for what never comes fails, and does not hang")
  func standsStill() async {
    let (texts, _) = await failures {
      await Simulation.run(seed: 7) { _ in try await Gate().enter() }
    }
    #expect(
      texts.first?.split(separator: "\n").first
        == """
        Seed 7: the body has not returned, and nothing is left that could continue; resume what it waits for (a gate, a held call, \
        a continuation), or put a fake in the place of what works on another thread.
        """)
  }

  @Test("An expectation in the body fails its seed at its own line, is shrunk, and is no issue of its own")
  func expectation() async throws {
    let failures = Recorder<Failure>()
    let report = await FailureReporter.$collector.withValue(FailureCollector { failures.record($0) }) {
      await Simulation.run(seeds: 0..<100, options: .init(shrinkingAttempts: 20)) { world in
        let numbers = world.actions(5) { Int.random(in: 0..<10, using: &$0) }
        #expect(!numbers.contains(7), "there is no seven")
      }
    }
    let line = #line - 3
    #expect(report.failingPlan?.actions?.count == 1)
    let failure = try #require(failures.recorded.first)
    #expect(failure.location?.line == line && failure.location?.fileName == "SimulationTests.swift")
    let first = try #require(failure.message.split(separator: "\n").first)
    #expect(
      first.hasPrefix(
        "Seed \(try #require(report.failingPlan).seed): SimulationTests.swift:\(line): Expectation failed: "))
    #expect(first.hasSuffix(" (there is no seven)."))
  }

  @Test("A warning in the body is a warning of the test, and fails no seed")
  func warning() async {
    let report = await Simulation.run(seed: 3) { _ in
      Issue.record("It is near the limit, as this test wants it.", severity: .warning)
    }
    #expect(report.failingPlan == nil && report.worlds == 1)
  }

  @Test("A simulation in the world of another one fails, and leaves that world as it is")
  func nested() async {
    let (texts, report) = await failures {
      await Simulation.run(seed: 5) { world in
        await Simulation.run(seed: 6) { _ in }
        world.expect(WorldRuntime.isOwnedByThisThread, "the body goes on in its world")
      }
    }
    #expect(report.failingPlan != nil)
    #expect(
      texts.first?.hasPrefix(
        "Seed 5: A simulation was begun in the world of another one; run it in a test of its own.\n")
        == true)
  }

  @Test("A range without a seed fails the test, with the fix")
  func noSeeds() async {
    let (texts, report) = await failures { await Simulation.run(seeds: 5..<5) { _ in } }
    #expect(report.worlds == 0)
    #expect(
      texts == [
        "There is no seed in 5..<5, so nothing was simulated; give a range with at least one, such as 0..<1_000."
      ])
  }

  @Test("The last seed there is can be run, and a range up to it")
  func lastSeed() async {
    let one = await Simulation.run(seed: .max) { _ in }
    let two = await Simulation.run(seeds: .max - 2 ..< .max) { _ in }
    #expect(one.worlds == 1 && two.worlds == 2)
  }

  @Test("A world may take as many steps as it was given, and no more")
  func maximumSteps() async {
    let body: Simulation.Body = { _ in for _ in 0..<10 { await Task.yield() } }
    let steps = await Simulation.run(seed: 1, body).steps
    #expect(await Simulation.run(seed: 1, options: .init(maximumSteps: steps), body).failingPlan == nil)
    let (texts, _) = await failures { await Simulation.run(seed: 1, options: .init(maximumSteps: steps - 1), body) }
    #expect(
      texts.first?.hasPrefix(
        "Seed 1: it does not come to an end within \(steps - 1) steps; end what goes round in circles, or give more steps.\n"
      ) == true)
  }

  @Test("An error that the body throws fails its seed")
  func error() async {
    struct Refused: Error {}
    let (texts, _) = await failures { await Simulation.run(seed: 1) { _ in throw Refused() } }
    #expect(texts.first?.hasPrefix("Seed 1: the body threw Refused().\n") == true)
  }

  @Test("A seed whose body throws is shrunk to one that throws that error, and no other")
  func sameError() async throws {
    struct Nothing: Error {}
    struct Seven: Error {}
    let (texts, report) = await failures {
      await Simulation.run(seeds: 0..<100) { world in
        let numbers = world.actions(5) { Int.random(in: 0..<10, using: &$0) }
        if numbers.isEmpty { throw Nothing() }
        if numbers.contains(7) { throw Seven() }
      }
    }
    #expect(try #require(report.failingPlan).actions?.count == 1)
    let text = try #require(texts.first)
    #expect(text.contains(": the body threw Seven().\n") && !text.contains("Nothing"))
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
