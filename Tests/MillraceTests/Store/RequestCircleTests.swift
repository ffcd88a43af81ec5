import MillraceTesting
import Testing

@testable import Millrace

/// Requests of runs that wait for each other through several stores.
@Suite("Requests in a circle", .timeLimit(.minutes(1)))
struct RequestCircleTests {
  typealias Action = ScriptedInteractor.Action
  typealias Stores = [Store<ScriptedInteractor>]

  /// The end of a request.
  private static func end(of request: () async throws -> Void) async -> String {
    do {
      try await request()
      return "answered"
    } catch let error as StoreError {
      return error.code == .deadlock ? "deadlock" : "\(error.outcome?.kind as Outcome.Kind?)"
    } catch {
      return "\(error)"
    }
  }

  /// The stores, each with a run that has a key, and that then requests an action of that key at the next store.
  private static func circle(
    of stores: Stores, plans: [Plan], requested: [Plan]? = nil, ends: Recorder<String>
  ) async throws -> [Receipt] {
    let begun = Gate()
    let receipts = stores.indices.map { index in
      let next = stores[(index + 1) % stores.count]
      let plan = (requested ?? plans)[(index + 1) % stores.count]
      return stores[index].send(
        Action.handle { _ in
          try await begun.enter()
          ends.record(await end { try await next.request(Action.handle { _ in }.planned(plan), returning: { _ in }) })
        }.planned(plans[index]))
    }
    try await begun.waitForArrivals(stores.count)
    begun.open()
    return receipts
  }

  /// Plans of which each keeps a second action from beginning until the first has ended.
  static let plans: [Plan] = [
    .serial(key: "k"), .concurrent(max: 1, key: "k"), .concurrent.limited(to: 1, key: "k"),
  ]

  @Test(
    "Of runs that request the keys of each other exactly one request fails as deadlock", arguments: [2, 3],
    plans.indices)
  func betweenStores(count: Int, plan: Int) async throws {
    let stores = (0..<count).map { _ in Store<ScriptedInteractor>() }
    let ends = Recorder<String>()
    let receipts = try await Self.circle(
      of: stores, plans: Array(repeating: Self.plans[plan], count: count), ends: ends)
    for receipt in receipts { #expect(await receipt.outcome.kind == .finished) }
    #expect(ends.recorded.sorted() == Array(repeating: "answered", count: count - 1) + ["deadlock"])
    for store in stores { #expect(await store.metrics.waiting == 0) }
  }

  @Test("Of such runs exactly one request fails, in every order of their steps", arguments: [2, 3])
  func simulated(count: Int) async {
    await Simulation.run(seeds: 0..<200) { world in
      let stores = (0..<count).map { _ in Store<ScriptedInteractor>(world.configuration) }
      let ends = Recorder<String>()
      let receipts = try await Self.circle(
        of: stores, plans: Array(repeating: .serial(key: "k"), count: count), ends: ends)
      for receipt in receipts { world.expect(await receipt.outcome.kind == .finished, "each run returns") }
      world.expect(
        ends.recorded.sorted() == Array(repeating: "answered", count: count - 1) + ["deadlock"], "one request fails")
      for store in stores { await store.shutdown() }
    }
  }

  @Test("Of requests that come back to the key of their origin one fails and names the circle", arguments: [1, 2])
  func nested(between: Int) async throws {
    let (first, others) = (Store<ScriptedInteractor>(), (0..<between).map { _ in Store<ScriptedInteractor>() })
    let texts = Recorder<String>()
    let back = Action.commit("back").planned(.serial(key: "k"))
    /// An action that requests the next one; the last one comes back.
    @Sendable func action(_ index: Int) -> Action {
      Action.handle { _ in
        do {
          if index < between {
            try await others[index].request(action(index + 1), returning: { _ in })
          } else {
            try await first.request(back, returning: { _ in })
          }
        } catch let error as StoreError where error.code == .deadlock {
          texts.record(error.description)
        } catch is CancellationError {
          // The request of another run has failed, which cancels this one.
        }
      }
    }
    #expect(await first.send(action(0).planned(.serial(key: "k"))).outcome.kind == .finished)
    for store in [first] + others { await store.shutdown(drainFor: .seconds(60)) }
    let text = try #require(texts.recorded.first)
    #expect(texts.recorded.count == 1)
    #expect(text.hasPrefix("The request can never be answered: #"))
    #expect(text.split(separator: " waits for #").count == 2, "\(text)")
    #expect(text.split(separator: " requests #").count == between + 2, "\(text)")
    #expect(text.hasSuffix("not wait for it."))
  }

  @Test("Of requests that join the shared run which waits for them one fails as deadlock")
  func shared() async throws {
    let (first, second) = (Store<ScriptedInteractor>(), Store<ScriptedInteractor>())
    let ends = Recorder<String>()
    let shared = Plan.shared(key: "k")
    let back = Action.handle { _ in
      ends.record(
        await Self.end { try await first.request(Action.commit("joins").planned(shared), returning: { _ in }) })
    }
    let receipt = first.send(
      Action.handle { _ in
        ends.record(await Self.end { try await second.request(back, returning: { _ in }) })
      }.planned(shared))
    #expect(await receipt.outcome.kind == .finished)
    for store in [first, second] { await store.shutdown(drainFor: .seconds(60)) }
    #expect(ends.recorded.count { $0 == "deadlock" } == 1)
  }

  @Test("A circle with a timeout in a plan ends by that and not as deadlock", arguments: 0..<4)
  func timeouts(withTimeout: Int) async {
    await Simulation.run(seeds: 0..<50) { world in
      let stores = (0..<2).map { _ in Store<ScriptedInteractor>(world.configuration) }
      let ends = Recorder<String>()
      let plans = (0..<4).map { $0 == withTimeout ? Plan.serial(key: "k").timeout(.seconds(1)) : .serial(key: "k") }
      let receipts = try await Self.circle(
        of: stores, plans: Array(plans[0..<2]), requested: Array(plans[2..<4]), ends: ends)
      for receipt in receipts { _ = await receipt.outcome }
      world.expect(!ends.recorded.contains("deadlock"), "the timeout ends the circle")
      for store in stores { await store.shutdown() }
    }
  }

  @Test("A request that waits for runs of which one will end is answered, though another one waits for it")
  func noCircle() async {
    await Simulation.run(seeds: 0..<50) { world in
      let (first, second) = (
        Store<ScriptedInteractor>(world.configuration), Store<ScriptedInteractor>(world.configuration)
      )
      let plan = Plan.concurrent(max: 2, key: "k")
      let ends = Recorder<String>()
      second.send(Action.handle { try await $0.clock.sleep(for: .seconds(1)) }.planned(plan))
      // It has the second turn of the key, and requests an action that waits for one of the two.
      let receipt = second.send(
        Action.handle { _ in
          let back = Action.handle { _ in
            try await second.request(Action.commit("a").planned(plan), returning: { _ in })
          }
          ends.record(await Self.end { try await first.request(back, returning: { _ in }) })
        }.planned(plan))
      world.expect(await receipt.outcome.kind == .finished, "the run returns")
      world.expect(ends.recorded == ["answered"], "the request is answered")
      for store in [first, second] { await store.shutdown() }
    }
  }

  @Test("R5: a wait is forgotten when it ends, however it does", arguments: [true, false])
  func nothingIsLeft(isCancelled: Bool) async {
    await Simulation.run(seeds: 0..<100) { world in
      let stores = (0..<2).map { _ in Store<ScriptedInteractor>(world.configuration) }
      let ends = Recorder<String>()
      let receipts = try await Self.circle(
        of: stores, plans: [.serial(key: "k"), .serial(key: "k").timeout(.seconds(1))], ends: ends)
      if isCancelled { receipts[0].cancel() }
      for receipt in receipts { _ = await receipt.outcome }
      try await world.clock.sleep(for: .seconds(2))
      for receipt in receipts {
        world.expect(receipt.ticket.map { RequestWaits.actions(requestedBy: $0).isEmpty } == true, "no wait is left")
      }
      for store in stores { await store.shutdown() }
    }
  }
}
