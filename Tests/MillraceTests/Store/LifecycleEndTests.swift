import MillraceTesting
import Testing

@testable import Millrace

/// The last step of a shutdown, and the store after it.
extension LifecycleTests {
  // MARK: What could be lost

  // It used to be lost, and the drain to last until its deadline.
  @Test("S1: a drain whose end was left to be looked for ends, though everything is cancelled before that")
  func aDrainEndsThoughAllIsCancelled() async throws {
    let receipt = try await stay("a")
    let shutdown = shutDown(drainFor: 60)
    _ = store.look { [store] owned in
      store.core.perform { _ in }  // Work is queued, so that the end of the drain is looked for behind it.
      if let run = owned.runs?.scheduler.runs.first { owned.raise(.end(run, .finished), at: store.core) }
      store.cancelAll()
    }
    #expect(await shutdown.value.drained == 1)
    #expect(await receipt.outcome.kind == .finished)
    gate.open()
  }

  // A run that was cut used to get its actions taken then.
  @Test("S1: nothing is taken once the store is shut down, though the deadline passed inside a cancelAll")
  func nothingIsTakenAfterTheEnd() async throws {
    let late = Recorder<Receipt>()
    _ = try await stay("a") { [store] in late.record(store.send(.commit("late"))) }
    let shutdown = shutDown(drainFor: 60)
    _ = store.look { [store] _ in
      let core = store.core
      core.lock.enqueue(for: core) { BetweenSteps(core: core).finishShutdown(asksClosing: true) }
      store.cancelAll()
    }
    _ = await shutdown.value
    gate.open()
    #expect(try await late.next().outcome.kind == .rejected)
    #expect(await !store.log.contains("late"))
  }

  @Test("S1: A shutdown for another reason rejects with that, while it drains and after it", arguments: [true, false])
  func reason(drains: Bool) async throws {
    let receipt = try await stay("a")
    let shutdown = store.core.beginShutdown(drainFor: .seconds(drains ? 60 : 0), refusing: .notOwner("there"))
    guard case .rejected(.notOwner("there")) = await store.send(.commit("late")).outcome else {
      return #expect(Bool(false))
    }
    gate.open()
    #expect(await shutdown.value.drained == (drains ? 1 : 0))
    #expect(await receipt.outcome.kind == (drains ? .finished : .shutDown))
    guard case .rejected(.notOwner("there")) = await store.send(.commit("later")).outcome else {
      return #expect(Bool(false))
    }
  }

  // What had no key, or another one, used to be taken then, and never to end.
  @Test("S1: cancelling what a store has that is shut down lets nothing in again", arguments: [true, false])
  func cancellingAfterTheEnd(cancelsAll: Bool) async {
    await store.shutdown()
    if cancelsAll { store.cancelAll() } else { store.cancel(key: "k") }
    for action in [Action.commit("late"), .handle { _ in }, Action.commit("late").planned(.serial(key: "k"))] {
      guard case .rejected(.shuttingDown) = await store.send(action).outcome else { return #expect(Bool(false)) }
    }
    #expect(await store.log == [])
  }

  // It used to be taken, for it was not of the key that was cut.
  @Test(
    "S1: cancelling a key lets nothing in that a store would reject which drains or is shut down",
    arguments: [true, false])
  func cancellingAKeyLetsNothingIn(isOver: Bool) async throws {
    _ = try await stay("a")
    let shutdown = shutDown(drainFor: 60)
    if isOver { await store.shutdown() }
    let late = Box<[Receipt]>([])
    _ = store.look { [store] _ in
      late.value = [store.send(.commit("late")), store.send(.handle { $0.emit("late") })]
      store.cancel(key: "k")
    }
    #expect(await kinds(late.value) == [.rejected, .rejected])
    gate.open()
    _ = await shutdown.value
    #expect(await !store.log.contains("late"))
  }

  // Their deadlines used to hold them, and they their deadlines.
  @Test("R5: a store that is shut down remembers no key", arguments: 0...2)
  func keysAreForgotten(plan: Int) async throws {
    final class Key: Hashable, Sendable {
      static func == (left: Key, right: Key) -> Bool { left === right }
      func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

      let token: ReleaseRecorder
      init(_ token: ReleaseRecorder) { self.token = token }
    }
    let released = Recorder<Void>()
    var key: Key? = Key(ReleaseRecorder(released))
    if let made = key {
      let plans = [
        Plan.latest(key: made).throttle(.seconds(9)), .serial(key: made).breaker(Plan.Breaker(failures: 3)),
        .serial(key: made).retry(2, backoff: .none, budget: Plan.RetryBudget(capacity: 3, refill: .seconds(9))),
      ]
      _ = await store.send(Action.handle { _ in throw Mishap() }.closed().planned(plans[plan])).outcome
    }
    key = nil
    #expect(await store.keyCount == 1)
    #expect(released.recorded.isEmpty)
    await store.shutdown()
    #expect(await store.keyCount == 0)
    // The task of the last attempt may hold it until it has returned.
    try await released.next()
  }

  // MARK: After the end

  @Test("S1: observers have the last state, closings included, and end")
  func observersEnd() async throws {
    let states = Recorder<[String]>()
    let observed = states.record(from: store.states.map(\.log))
    let values = Recorder<Int>()
    let counted = values.record(from: store.values { $0.log.count })
    _ = try await stay("a")
    await store.shutdown()
    try await observed.value
    try await counted.value
    #expect(states.recorded.last == ["a: shutDown"])
    #expect(values.recorded.last == 1)
    #expect(await #expect(throws: StoreError.self) { try await store.wait { $0.log.count > 1 } }?.code == .shutDown)
    gate.open()
  }

  @Test("S1: the state of a store that was shut down is the start of a new one")
  func aNewStoreGoesOn() async throws {
    store.send(.commit("old"))
    await store.shutdown()
    let next = Store(initial: await store.state, interactor: ScriptedInteractor())
    next.send(.commit("new"))
    #expect(await next.log == ["old", "new"])
    #expect(await store.send(.commit("late")).outcome.kind == .rejected)
    #expect(await store.log == ["old"])
    #expect(await store.metrics.commits == 1)
  }
}
