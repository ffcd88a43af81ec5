import Foundation
import Millrace
import Testing

@testable import MillraceTesting

@Suite("World")
struct WorldTests {
  /// Commits numbers, several of them in one step.
  private struct Numbers: Interactor {
    typealias Action = [Int]
    typealias Mutation = Int
    typealias State = Int
    typealias Mutations = Effect<Self>

    func decide(_ action: [Int], state: Int) -> Decision<Int> { .mutate(action) }

    static func reduce(into state: inout Int, mutation: Int) {
      state = mutation
    }
  }

  private static func store(in world: World) -> Store<Numbers> {
    Store(initial: 0, interactor: Numbers(), configuration: world.configuration)
  }

  /// The first sentence of the failure of a body; nil if it does not fail.
  private func sentence(seed: UInt64 = 7, _ body: @escaping Simulation.Body) async -> String? {
    let failures = Failures()
    await failures.collect { await Simulation.run(seeds: seed..<seed + 1, options: .init(shrinkingAttempts: 0), body) }
    return failures.messages.first?.split(separator: "\n").first.map { String($0.dropFirst("Seed \(seed): ".count)) }
  }

  @Test("A store whose condition came to hold continues, and is checked, also when nothing else holds it")
  func metAndHeld() async {
    let sentence = await sentence { world in
      // It does not hold the store.
      let sender = {
        let store = Self.store(in: world)
        world.eventually("it begins", of: store) { $0 == 1 }
        world.always("it is small", of: store) { $0 < 10 }
        store.send([1])
        return store.sender
      }()
      try await world.clock.sleep(for: .seconds(1))
      sender.send([100])
    }
    #expect(sentence == "this does not hold always: it is small.")
  }

  @Test("A fake whose script was not used fails its seed, also where only what has to hold at the end held it")
  func heldFake() async {
    let sentence = await sentence { world in
      let fetches = FakeCall<Int, Int>("fetch")
      fetches.reply(1)
      let held = Box(fetches)
      world.atTheEnd("it is there") { held.value.callCount == 0 }
    }
    #expect(sentence?.hasPrefix("What is scripted here for fetch was never used") == true)
  }

  // MARK: What stores report

  /// Throws whatever it is asked for.
  private struct Throwing: Interactor {
    struct Mishap: Error {}

    func handle(_ action: Int, state: Int) async -> AsyncThrowingStream<Int, any Error> {
      AsyncThrowingStream { $0.finish(throwing: Mishap()) }
    }

    static func reduce(into state: inout Int, mutation: Int) {}
  }

  @Test("An incident of a store in the world is a note of the world")
  func reports() async {
    let failures = Failures()
    await failures.collect {
      await Simulation.run(seeds: 0..<1, options: .init(shrinkingAttempts: 0)) { world in
        let store = Store(initial: 0, interactor: Throwing(), configuration: world.configuration)
        _ = await store.send(1).outcome
        world.expect(false, "the notes are shown")
      }
    }
    let notes = failures.messages.first?.split(separator: "\n").filter { $0.hasPrefix("    a store reports: ") } ?? []
    #expect(notes.count == 1)
    #expect(notes.first?.contains("an action of type Swift.Int (#5), and nothing was made of it: Mishap()") == true)
  }

  // MARK: What must hold

  @Test("A condition that always holds is checked after each step")
  func always() async {
    let sentence = await sentence { world in
      let count = Box(0)
      world.always("there are at most two") { count.value <= 2 }
      for _ in 0..<5 {
        count.value += 1
        await Task.yield()
      }
      count.value = 0
    }
    #expect(sentence == "this does not hold always: there are at most two.")
  }

  @Test("A condition that always holds for a store is checked after each commit, also of those of one step")
  func alwaysAfterCommits() async {
    let sentence = await sentence { world in
      let (store, other) = (Self.store(in: world), Self.store(in: world))
      world.always("it is small", of: store) { $0 < 10 }
      other.send([100])
      store.send([1, 100, 2])
    }
    #expect(sentence == "this does not hold always: it is small.")
    let isMet = await self.sentence { world in
      let (store, other) = (Self.store(in: world), Self.store(in: world))
      world.always("it is small", of: store) { $0 < 10 }
      other.send([100])
      store.send([1, 2])
    }
    #expect(isMet == nil)
  }

  @Test("A store with interceptors that come and go is asked after each commit too")
  func interceptors() async {
    let sentence = await sentence { world in
      let store = Self.store(in: world)
      world.always("it is small", of: store) { $0 < 10 }
      store.setInterceptors([TransitionHistory(keeping: 1)])
      store.setInterceptors([])
      store.send([1, 100, 2])
    }
    #expect(sentence == "this does not hold always: it is small.")
  }

  @Test("A store with a configuration of its own is asked after each step")
  func ownConfiguration() async {
    let passing = await sentence { world in
      let store = Store(initial: 0, interactor: Numbers(), configuration: StoreConfiguration(clock: world.clock))
      world.always("it is small", of: store) { $0 < 10 }
      store.send([1, 100, 2])
      await Task.yield()
      _ = await store.state
    }
    #expect(passing == nil)
    let failing = await sentence { world in
      let store = Store(initial: 0, interactor: Numbers(), configuration: StoreConfiguration(clock: world.clock))
      world.always("it is small", of: store) { $0 < 10 }
      store.send([1, 100])
      await Task.yield()
      _ = await store.state
    }
    #expect(failing == "this does not hold always: it is small.")
  }

  @Test("A condition that holds once may hold between two commits of one step")
  func eventuallyAfterCommits() async {
    let isMet = await sentence { world in
      let store = Self.store(in: world)
      world.eventually("it is large", of: store) { $0 >= 10 }
      store.send([1, 100, 2])
    }
    #expect(isMet == nil)
    let isMissed = await sentence { world in
      let store = Self.store(in: world)
      world.eventually("it is large", of: store) { $0 >= 10 }
      store.send([1, 2])
    }
    #expect(isMissed == "this never came to hold: it is large.")
  }

  @Test("A condition that holds only after its time is too late, also where the time has jumped past that")
  func late() async {
    let body: Simulation.Body = { world in
      let isLoaded = Box(false)
      let store = Self.store(in: world)
      world.eventually("it is loaded in time", within: .seconds(5)) { isLoaded.value }
      world.eventually("it is large in time", of: store, within: .seconds(6)) { $0 >= 10 }
      try await world.clock.sleep(for: .seconds(Int64(world.seed) * 3))
      isLoaded.value = true
      if world.seed == 3 { return }
      store.send([100, 1])
    }
    #expect(await sentence(seed: 0, body) == nil)
    #expect(await sentence(seed: 1, body) == nil)
    #expect(await sentence(seed: 2, body) == "this never came to hold: it is loaded in time.")
    #expect(await sentence(seed: 3, body) == "this never came to hold: it is loaded in time.")
    let late = await sentence { world in
      let store = Self.store(in: world)
      world.eventually("it is large in time", of: store, within: .seconds(6)) { $0 >= 10 }
      try await world.clock.sleep(for: .seconds(7))
      store.send([100, 1])
    }
    #expect(late == "this never came to hold: it is large in time.")
  }

  @Test("A rule may ask for more rules while it is asked")
  func nestedRules() async {
    let sentence = await sentence { world in
      let isAsked = Box(false)
      world.eventually("it is asked") {
        if !isAsked.value { world.eventually("this is asked for meanwhile") { false } }
        world.always("this holds") { true }
        isAsked.value = true
        return true
      }
      await Task.yield()
      await Task.yield()
    }
    #expect(sentence == "this never came to hold: this is asked for meanwhile.")
  }

  @Test("A condition of the end is checked when nothing is ready any more")
  func atTheEnd() async {
    let sentence = await sentence { world in
      let store = Self.store(in: world)
      world.atTheEnd("it is small", of: store) { $0 < 10 }
      Task {
        await Task.yield()
        store.send([100])
      }
    }
    #expect(sentence == "this does not hold at the end: it is small.")
  }

  @Test("The clock of a world fails its seed, not the test on its own")
  func clock() async {
    let sentence = await sentence { world in
      let task = Task { try await world.clock.sleep(for: .seconds(3)) }
      await Task.yield()
      await Task.yield()
      await Task.yield()
      world.clock.checkSuspended()
      try await task.value
    }
    #expect(
      sentence == """
        A task still sleeps on this test clock, until 3.0 seconds after its start; its time is 0.0 seconds. Advance the clock \
        to there (run() goes to the latest), or cancel what sleeps, before the test ends.
        """)
  }

  // MARK: Choices

  @Test(
    "A duration lies in its range, however long that is",
    arguments: [
      Duration.zero ... .zero, .milliseconds(1) ... .seconds(3), .seconds(-5) ... .seconds(5),
      .zero ... .seconds(Int64.max), .seconds(Int64.min) ... .seconds(Int64.max),
    ])
  func durations(range: ClosedRange<Duration>) async {
    let sentence = await sentence { world in
      for _ in 0..<100 { world.expect(range.contains(world.duration(in: range)), "it lies in its range") }
    }
    #expect(sentence == nil)
  }

  @Test("A duration comes to both ends of its range")
  func ends() async {
    let seen = Recorder<Duration>()
    let range = Duration.seconds(-1) ... .seconds(Int64.max)
    await Simulation.run(plan: "1 draws 1.0=1048576") { world in
      seen.record(world.duration(in: range))
      seen.record(world.duration(in: range))
    }
    #expect(seen.recorded == [range.upperBound, range.lowerBound])
  }

  @Test("A fault that is certain is no choice of a plan: none with 0, and one with 1")
  func certainFaults() async {
    let none = await Simulation.run(plan: "1 draws 1.0=1,1.1=1") { world in
      world.expect(!world.fault(0) && !world.fault(-1), "it does not happen")
    }
    let all = await Simulation.run(plan: "1 draws none") { world in
      world.expect(world.fault(1) && world.fault(2), "it happens")
    }
    #expect(none.failingPlan == nil && all.failingPlan == nil)
  }

  @Test("A fault that is certain is counted, so that the draws behind it are those of their numbers")
  func certainFaultsAreCounted() async {
    let report = await Simulation.run(plan: "1 draws 1.2=1") { world in
      let drawn = [world.fault(0), world.fault(1), world.fault(0.5), world.fault(0.5)]
      world.expect(drawn == [false, true, true, false], "the third is the plan's")
    }
    #expect(report.failingPlan == nil)
  }

  // MARK: The fingerprint

  @Test("Worlds that differ in a state alone have other fingerprints, and the same one has the same")
  func fingerprint() async {
    func fingerprint(_ numbers: [Int]) async -> UInt64 {
      await Simulation.run(seed: 3) { world in
        let store = Self.store(in: world)
        store.send(numbers)
      }.fingerprint
    }
    let (one, two) = await (fingerprint([1, 2]), fingerprint([1, 3]))
    #expect(one != two)
    #expect(await fingerprint([1, 2]) == one)
  }
}
