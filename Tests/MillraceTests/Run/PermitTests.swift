import MillraceTesting
import Testing

@testable import Millrace

/// Limits beside the overlap of a plan, in a store.
@Suite("Permits", .timeLimit(.minutes(1)))
struct PermitTests {
  typealias Action = ScriptedInteractor.Action

  let store = Store<ScriptedInteractor>()

  @Test("R4: eight artifacts of a tenant are handled at once, each artifact's actions one after the other")
  func artifactsOfATenant() async throws {
    let gate = Gate()
    let most = Recorder<Int>()
    let out = Box(0)
    let receipts = (0..<40).map { number in
      store.send(
        Action.handle { run in
          most.record(next(out))
          try await gate.enter()
          out.update { $0 -= 1 }
          run.emit(ScriptedInteractor.Mutation("\(number % 20): \(number / 20)"))
        }.planned(.serial(key: number % 20).limited(to: 8, key: "tenant")))
    }
    let other = store.send(Action.handle { $0.emit("other") }.planned(.concurrent.limited(to: 8, key: "other tenant")))
    try await gate.waitForArrivals(8)
    #expect(await other.outcome.kind == .finished)
    #expect(await store.metrics.inFlight == 8)
    #expect(await store.metrics.waiting == 32)
    gate.open()
    for receipt in receipts { #expect(await receipt.outcome.kind == .finished) }
    #expect(most.recorded.max() == 8)
    let log = await store.log
    for artifact in 0..<20 {
      #expect(log.filter { $0.hasPrefix("\(artifact): ") } == ["\(artifact): 0", "\(artifact): 1"])
    }
    #expect(await store.keyCount == 0)
  }

  private func next(_ count: Box<Int>) -> Int {
    count.update { count in
      count += 1
      return count
    }
  }

  @Test("R4: slots go round robin over the keys of limits: 1,000 queued of one tenant hold up none of nine others")
  func fairness() async throws {
    let store = Store<ScriptedInteractor>(StoreConfiguration(limits: StoreConfiguration.Limits(runsInFlight: 4)))
    let gate = Gate()
    let started = Recorder<Int>()
    let receipts = store.send(
      contentsOf: (Array(repeating: 0, count: 1_000) + Array(1...9)).map { tenant in
        Action.handle { _ in
          started.record(tenant)
          try await gate.enter()
        }.planned(.concurrent.limited(to: 8, key: tenant))
      })
    try await gate.waitForArrivals(4)
    gate.open()
    #expect(await receipts.outcomes.allSatisfy { $0.kind == .finished })
    // Four had begun; of those that run at once, each may be recorded before or after the others.
    #expect(Set(started.recorded.prefix(4 + 10 + 3)) == Set(0...9))
  }

  @Test("R2, R4: an action that waits for a permit was taken up: it is cancelled with its closing, and never handled")
  func cancelledWhileItWaits() async throws {
    let plan = Plan.concurrent.limited(to: 1, key: "tenant")
    let probes = [Probe("a"), Probe("b"), Probe("c")]
    let receipts = probes.map { store.send($0.action(plan)) }
    try await probes[0].waitForStart()
    receipts[1].cancel()
    #expect(await receipts[1].outcome.kind == .cancelled)
    // The key is not that of an overlap.
    store.cancel(key: "tenant")
    probes[0].open()
    try await probes[2].waitForStart()
    probes[2].open()
    #expect(await receipts[2].outcome.kind == .finished)
    #expect(probes[1].starts == 0)
    #expect(await store.log == ["a begins", "b begins", "c begins", "b: cancelled", "a done", "c done"])
  }

  @Test("R2: an action that waited for a permit while its breaker opened is rejected, and closed")
  func breakerAfterAPermit() async throws {
    let plan = Plan.concurrent.limited(to: 1, key: "tenant").breaker(Plan.Breaker(failures: 1), key: "gateway")
    let probes = [Probe("a"), Probe("b")]
    let receipts = [store.send(probes[0].action(plan, throwing: Mishap())), store.send(probes[1].action(plan))]
    try await probes[0].waitForStart()
    probes[0].open()
    #expect(await receipts[0].outcome.kind == .failed)
    #expect(await receipts[1].rejectionKind == .breakerOpen)
    #expect(await store.log == ["a begins", "b begins", "a done", "a: failed", "b: rejected"])
  }

  @Test("R4: children share a limit that their parent adds to their plans")
  func aLimitOfTheParent() async throws {
    let store = Store(initial: Town.State(houses: [1: .init()]), interactor: Town(limit: 1))
    let probes = [Probe("a"), Probe("b"), Probe("c")]
    store.send(.hall(probes[0].action(.serial(key: "k"))))
    store.send(.office(probes[1].action(.concurrent)))
    store.send(.house(1, probes[2].action(.latest(key: "k"))))
    for (index, probe) in probes.enumerated() {
      try await probe.waitForStart()
      #expect(await store.metrics.inFlight == 1)
      #expect(await store.metrics.waiting == 2 - index)
      probe.open()
    }
  }

  @Test("The keys of a child's limits are its own; a limit that the parent adds has the parent's key")
  func limitsOfChildren() throws {
    let own = Plan.concurrent.limited(to: 2, key: "own")
    let places = [PlanKey("hall"), PlanKey("office")]
    let plans = places.map { place in own.within(place) { $0 }.limited(to: 8, key: "tenant") }
    let limits = try plans.map { try #require($0.terms).limits }
    for (place, limits) in zip(places, limits) {
      #expect(limits.map(\.key) == [PlanKey(ScopedKey(scope: place, key: PlanKey("own"))), PlanKey("tenant")])
      #expect(limits.map(\.maximum) == [2, 8])
    }
    #expect(own.terms?.limits.map(\.key) == [PlanKey("own")])
    // A key of the child that is equal to the parent's is another one.
    #expect(Plan.serial(key: "tenant").within(places[0], { $0 }).limited(to: 1, key: "tenant").terms?.problem == nil)
  }
}
