import Millrace
import MillraceJournal
import MillraceTesting
import Synchronization
import Testing

@Suite("Runs that rest in a sleep or a wait", .timeLimit(.minutes(2)))
struct RestingRunsTests {
  private let lives = Lives()

  @Test(
    "T12: in a store of 4 slots 1,000 runs sleep while others are handled; opened again, all reach their sleep and end")
  func manySleepers() async throws {
    let limits = StoreConfiguration.Limits(runsInFlight: 4)
    let handling: Stepped.Handling = { run, number in
      if number > 0 { try await run.sleep("rest", for: .seconds(30)) }
      run.emit("\(number)")
    }
    let first = try await lives.open(limits: limits, handling)
    for number in 1...1_000 { first.send(.handle(number)) }
    try await lives.clock.waitForSleepers(1_000)
    #expect(await first.send(.handle(0)).outcome.kind == .finished)
    let metrics = await first.metrics
    #expect(metrics.resting == 1_000 && metrics.inFlight == 0 && metrics.outcomes[.finished] == 1)
    #expect(await first.shutdown(drainFor: .seconds(60)).leftOpen.count == 1_000)

    let second = try await lives.open(limits: limits, handling)
    try await lives.clock.waitForSleepers(1_000)
    #expect(await second.send(.handle(0)).outcome.kind == .finished)
    lives.clock.advance(by: .seconds(30))
    #expect(try await second.wait { $0.count == 1_002 }.count == 1_002, "all have ended by their handlers")
  }

  @Test("T12: a store that lets no run rest has each sleep keep its slot")
  func noneRests() async throws {
    let store = try await lives.open(limits: .init(runsInFlight: 1, actionsWaiting: 0, runsResting: 0)) { run, _ in
      try await run.sleep("rest", for: .seconds(30))
    }
    let first = store.send(.handle(1))
    try await lives.clock.waitForSleepers()
    #expect(await store.send(.handle(2)).outcome.kind == .rejected)
    let metrics = await store.metrics
    #expect(metrics.resting == 0 && metrics.inFlight == 1)
    lives.clock.advance(by: .seconds(30))
    #expect(await first.outcome.kind == .finished)
  }

  @Test("T12: a run that rests without a journal keeps its slot")
  func notStored() async throws {
    let store = try await lives.open(plan: .concurrent, limits: .init(runsInFlight: 1, actionsWaiting: 0)) { run, _ in
      try await run.sleep("rest", for: .seconds(30))
    }
    store.send(.handle(1))
    try await lives.clock.waitForSleepers()
    #expect(await store.send(.handle(2)).outcome.kind == .rejected)
  }

  @Test("T12: a run that is cancelled while it waits for its slot ends, and the slot is free after the run that has it")
  func cancelled() async throws {
    let gate = Gate()
    let store = try await lives.open(limits: .init(runsInFlight: 1)) { run, number in
      if number == 1 { try await run.sleep("rest", for: .seconds(30)) } else { try await gate.enter() }
      run.emit("\(number)")
    }
    let (sleeper, other) = (store.send(.handle(1)), store.send(.handle(2)))
    try await gate.waitForArrivals(1)
    lives.clock.advance(by: .seconds(30))
    sleeper.cancel()
    #expect(await sleeper.outcome.kind == .cancelled)
    let last = store.send(.handle(3))
    gate.open()
    #expect(await other.outcome.kind == .finished)
    #expect(await last.outcome.kind == .finished)
    #expect(await store.state == ["cancelled", "2", "3"])
  }

  /// The runs that have a body out, or do something after a rest, at a time; without what is left of attempts that were given up, which
  /// no slot counts.
  private final class Working: Sendable {
    private let runs = Mutex<[ActionID: (attempt: Int, parts: Int)]>([:])

    /// Notes that a part of an attempt begins to work, and returns the number of runs that work now.
    func begin(_ id: ActionID, _ attempt: Int) -> Int {
      runs.withLock { runs in
        let known = runs[id] ?? (attempt, 0)
        if attempt > known.attempt { runs[id] = (attempt, 1) }
        if attempt == known.attempt { runs[id] = (attempt, known.parts + 1) }
        return runs.values.count { $0.parts > 0 }
      }
    }

    func end(_ id: ActionID, _ attempt: Int) {
      runs.withLock { runs in
        if let known = runs[id], known.attempt == attempt { runs[id] = (attempt, known.parts - 1) }
      }
    }
  }

  @Test(
    "T12: no more runs work at a time than there are slots, whatever their branches sleep and wait for, and all end",
    arguments: [nil, Duration.milliseconds(25)])
  func slots(_ attemptTimeout: Duration?) async {
    await Simulation.run(seeds: 0..<300) { world in
      let (working, journal) = (Working(), MemoryJournal())
      var plan = Plan.concurrent.recovery(.handleAgain)
      if let attemptTimeout { plan = plan.attemptTimeout(attemptTimeout).retry(100, backoff: .none) }
      var configuration = world.configuration
      configuration.limits = .init(runsInFlight: 2)
      let handling: Stepped.Handling = { run, number in
        @Sendable func work() async {
          world.expect(working.begin(run.id, run.attempt) <= 2, "no more runs work than there are slots")
          await world.pause(upTo: 3)
          working.end(run.id, run.attempt)
        }
        await work()
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            try await run.sleep("rest", for: .milliseconds(10 * number))
            try await run.step("a") { _ in await work() }
          }
          group.addTask {
            try await run.step("b") { _ in await work() }
            _ = try await run.wait("any", timeout: .milliseconds(20)) { $0.isEmpty ? nil : $0.count }
          }
          try await group.waitForAll()
        }
        await work()
        // All are over at the same time, so that more runs would work than there are slots.
        try await run.sleep("last", for: .milliseconds(100 - 10 * number))
        await work()
        run.emit("\(number)")
      }
      let store = try await Store.open(
        initial: [], interactor: Stepped(plan: plan, handling), journal: journal, key: "k", configuration: configuration
      )
      let receipts = (1...4).map { store.send(.handle($0)) }
      store.send(.note("noted"))
      for receipt in receipts { world.expect(await receipt.outcome.kind == .finished, "each run ends by its handler") }
      let metrics = await store.metrics
      world.expect(metrics.resting == 0 && metrics.inFlight == 0, "no slot is lost")
      await store.shutdown(drainFor: .zero)
    }
  }

  @Test("T12: a part of a handler continues while another part rests, also without a slot that another run has")
  func otherPartRests() async {
    await Simulation.run(seeds: 0..<50) { world in
      var configuration = world.configuration
      configuration.limits = .init(runsInFlight: 1)
      let handling: Stepped.Handling = { run, number in
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            try await run.sleep("rest", for: .milliseconds(30))
            run.emit("rested")
          }
          group.addTask { _ = try await run.wait("rested") { $0.contains("rested") ? true : nil } }
          try await group.waitForAll()
        }
      }
      let store = try await Store.open(
        initial: [], interactor: Stepped(handling), journal: MemoryJournal(), key: "k", configuration: configuration)
      world.expect(await store.send(.handle(1)).outcome.kind == .finished, "it ends")
      await store.shutdown(drainFor: .zero)
    }
  }

  @Test(
    "T12: a handler that waits for its slot returns when its run or its attempt is over, though another run has the slot",
    arguments: [true, false])
  func returnsWithoutSlot(isCancelled: Bool) async {
    await Simulation.run(seeds: 0..<50) { world in
      let (gate, returned) = (Gate(), Recorder<Int>())
      let plan = Plan.concurrent.recovery(.handleAgain).attemptTimeout(.milliseconds(60)).retry(9, backoff: .none)
      var configuration = world.configuration
      configuration.limits = .init(runsInFlight: 1)
      let handling: Stepped.Handling = { run, number in
        defer { if number == 1 { returned.record(run.attempt) } }
        if number == 1 { try await run.sleep("rest", for: .milliseconds(30)) } else { try await gate.enter() }
      }
      let store = try await Store.open(
        initial: [], interactor: Stepped(plan: plan, handling), journal: MemoryJournal(), key: "k",
        configuration: configuration)
      let sleeper = store.send(.handle(1))
      try await world.clock.sleep(for: .milliseconds(20))
      let other = store.send(.handle(2))
      try await world.clock.sleep(for: .milliseconds(20))
      world.expect(await store.openRuns().map(\.stage) == [.slot, .running], "the first waits for its slot")
      if isCancelled { sleeper.cancel() } else { try await world.clock.sleep(for: .milliseconds(30)) }
      world.expect(try await returned.next() == 1, "its handler returns")
      world.expect(await store.openRuns().last?.stage == .running, "the second has the slot still")
      gate.open()
      world.expect(await other.outcome.kind == .finished, "the second ends")
      world.expect(await sleeper.outcome.kind == (isCancelled ? .cancelled : .finished), "so does the first")
      await store.shutdown(drainFor: .zero)
    }
  }

  @Test("A body is not called in a task that was cancelled while its run waited for a slot")
  func cancelledBody() async {
    struct Refused: Error {}
    await Simulation.run(seeds: 0..<300) { world in
      var configuration = world.configuration
      configuration.limits = .init(runsInFlight: 1)
      let handling: Stepped.Handling = { run, _ in
        _ = try? await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { try await run.sleep("rest", for: .milliseconds(10)) }
          group.addTask {
            try await run.step("body") { _ in
              world.expect(!Task.isCancelled, "the body is called before the cancellation, or not at all")
              await world.pause(upTo: 3)
            }
          }
          group.addTask {
            await world.pause(upTo: 20)
            throw Refused()
          }
          for try await _ in group {}
        }
      }
      let store = try await Store.open(
        initial: [], interactor: Stepped(handling), journal: MemoryJournal(), key: "k", configuration: configuration)
      let receipts = (1...4).map { store.send(.handle($0)) }
      for receipt in receipts { world.expect(await receipt.outcome.kind == .finished, "each run ends") }
      await store.shutdown(drainFor: .zero)
    }
  }
}
