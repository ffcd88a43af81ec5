import MillraceTesting
import Testing

@testable import Millrace

/// A request and its caller: the cancellation of its task, the store's lifetime, and a run that is the caller.
extension RequestTests {
  // MARK: Cancellation

  @Test("When its task is cancelled a request throws at once, and the action continues", arguments: RequestWay.allCases)
  func cancelled(way: RequestWay) async throws {
    let answer = Task.immediate { try await way.log(of: staying("a"), at: store) }
    try await gate.waitForArrivals()
    answer.cancel()
    await #expect(throws: CancellationError.self) { try await answer.value }
    #expect(await store.log.isEmpty)
    gate.open()
    try await store.wait(until: { $0.log == ["a"] })
  }

  @Test(
    "R3: when its task is cancelled a request cancels the action first, if it is asked to",
    arguments: RequestWay.allCases)
  func cancelsTheAction(way: RequestWay) async throws {
    let answer = Task.immediate { try await way.log(of: staying("a"), at: store, cancelsAction: true) }
    try await gate.waitForArrivals()
    answer.cancel()
    #expect(await store.log == ["a: cancelled"])
    await #expect(throws: CancellationError.self) { try await answer.value }
    gate.open()
  }

  @Test("An action that is cancelled otherwise throws that outcome, whatever a cancelled caller asks for")
  func cancelledOtherwise() async throws {
    let answer = Task.immediate {
      try await RequestWay.atOnce.log(of: staying("a"), at: store, cancelsAction: true)
    }
    try await gate.waitForArrivals()
    store.cancelAll()
    let error = await #expect(throws: StoreError.self) { try await answer.value }
    #expect(error?.outcome?.kind == .cancelled)
    gate.open()
  }

  @Test("R4: a cancelled request of a shared run cancels its own part in it alone")
  func cancelsItsPart() async throws {
    let action = staying("a").planned(.shared(key: "k"))
    let answers = (0..<2).map { _ in
      Task.immediate { try await RequestWay.atOnce.log(of: action, at: store, cancelsAction: true) }
    }
    try await gate.waitForArrivals()
    answers[0].cancel()
    await #expect(throws: CancellationError.self) { try await answers[0].value }
    gate.open()
    #expect(try await answers[1].value == ["a"])
  }

  @Test("A request of a task that is cancelled already sends nothing", arguments: RequestWay.allCases)
  func cancelledBefore(way: RequestWay) async throws {
    let answer = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await way.log(of: .commit("a"), at: store)
    }
    await #expect(throws: CancellationError.self) { try await answer.value }
    #expect(await store.log.isEmpty)
    #expect(await store.metrics.sent == 0)
  }

  @Test("A submit whose task is cancelled while it waits for room is never accepted")
  func cancelledSubmit() async throws {
    let store = Store(StoreConfiguration(limits: StoreConfiguration.Limits(runsInFlight: 1, actionsWaiting: 0)))
    let first = Task.immediate { try await RequestWay.atOnce.log(of: staying("a"), at: store) }
    try await gate.waitForArrivals()
    let second = Task.immediate { try await RequestWay.waitingForRoom.log(of: staying("b"), at: store) }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    gate.open()
    #expect(try await first.value == ["a"])
    #expect(await store.log == ["a"])
  }

  // MARK: Lifetime

  @Test("R6: a suspended request holds the store, and releases it when it ends", arguments: RequestWay.allCases)
  func holdsTheStore(way: RequestWay) async throws {
    var store: Store<ScriptedInteractor>? = Store()
    weak let weakStore = store
    let answer = Task.immediate { [store] () async throws -> [String] in
      guard let store else { return [] }
      return try await way.log(of: staying("a"), at: store)
    }
    store = nil
    try await gate.waitForArrivals()
    #expect(weakStore != nil)
    gate.open()
    #expect(try await answer.value == ["a"])
    #expect(weakStore == nil)
  }

  @Test("R6: a request that was cancelled holds neither the store nor its closure, though its action continues")
  func cancelledHoldsNothing() async throws {
    var store: Store<ScriptedInteractor>? = Store()
    weak let weakStore = store
    let answer = Task.immediate { [store] in
      guard let store else { return }
      try await store.request(staying("a")) { [store] _ in withExtendedLifetime(store) {} }
    }
    try await gate.waitForArrivals()
    answer.cancel()
    await #expect(throws: CancellationError.self) { try await answer.value }
    store = nil
    #expect(weakStore == nil)
    gate.open()
  }

  // MARK: Inside a run

  @Test(
    "Inside a run a request of the same store needs a timeout, and is rejected undecided without one",
    arguments: RequestWay.allCases)
  func insideARun(way: RequestWay) async throws {
    let errors = Recorder<(any Error)?>()
    let other = Store<ScriptedInteractor>()
    let receipt = store.send(
      .handle { [store] _ in
        do {
          _ = try await way.log(of: .commit("inner"), at: store)
          errors.record(nil)
        } catch {
          errors.record(error)
        }
        let timed = Action.commit("timed").planned(.concurrent.timeout(.seconds(1)))
        let logs = [try await way.log(of: timed, at: store), try await way.log(of: .commit("other"), at: other)]
        #expect(logs == [["timed"], ["other"]])
      })
    #expect(await receipt.outcome.kind == .finished)
    let error = try #require(try await errors.next() as? StoreError)
    #expect(error.outcome?.rejectionKind == .notSent)
    #expect(
      error.description
        == "A run that waits for an action of its own store may wait for itself; give the plan of the action a `timeout`, or "
        + "`send` the action and do not wait for it.")
    #expect(await store.log == ["timed"])
  }

  @Test("Inside a run a request of the key that the run holds ends by its timeout")
  func insideARunOfTheKey() async throws {
    let outcomes = Recorder<Outcome.Kind?>()
    let receipt = store.send(
      Action.handle { [store] run in
        let inner = Action.commit("inner").planned(.serial(key: "k").timeout(.seconds(1)))
        outcomes.record(try await RequestWay.atOnce.outcome(of: inner, at: store)?.kind)
        run.emit("outer")
      }.planned(.serial(key: "k")))
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(try await outcomes.next() == .timedOut)
    #expect(await receipt.outcome.kind == .finished)
    #expect(await store.log == ["outer"])
  }
}
