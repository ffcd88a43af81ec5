import MillraceTesting
import Testing

@testable import Millrace

@Suite("Submitting", .timeLimit(.minutes(1)))
struct SubmissionTests {
  typealias Action = ScriptedInteractor.Action

  private let gate = Gate()

  func store(runs: Int = 1, waiting: Int = 1, _ policy: StoreConfiguration.Overflow = .reject) -> Store<
    ScriptedInteractor
  > {
    Store(
      StoreConfiguration(
        limits: StoreConfiguration.Limits(runsInFlight: runs, actionsWaiting: waiting, onOverflow: policy)))
  }

  /// An action whose handler emits its name.
  func named(_ name: String) -> Action {
    .handle { $0.emit(ScriptedInteractor.Mutation(name)) }
  }

  /// Takes the one slot until the gate opens.
  func takeSlot(of store: Store<ScriptedInteractor>) async throws -> Receipt {
    let receipt = store.send(.handle { [gate] _ in await gate.enterIgnoringCancellation() })
    try await gate.waitForArrivals()
    return receipt
  }

  /// Suspends a submit; it stands in line when this returns.
  func suspend(_ action: Action, at store: Store<ScriptedInteractor>) -> Task<Receipt, any Error> {
    Task.immediate { try await store.submit(action) }
  }

  @Test("A1: submit returns at once where there is room, decided or waiting")
  func returnsAtOnceWithRoom() async throws {
    let store = store()
    #expect(try await store.submit(.commit("decided")).outcome.kind == .finished)
    _ = try await takeSlot(of: store)
    let waiting = try await store.submit(named("waits"))
    #expect(await store.metrics.waiting == 1)
    #expect(await store.metrics.submitting == 0)
    gate.open()
    #expect(await waiting.outcome.kind == .finished)
    #expect(await store.log == ["decided", "waits"])
  }

  @Test("A1: submits suspend while the store is full, and are served first come first and before later sends")
  func firstComeFirstServed() async throws {
    let store = store()
    _ = try await takeSlot(of: store)
    let waiting = store.send(named("waiting"))
    let submits = (0..<5).map { suspend(named("\($0)"), at: store) }
    let metrics = await store.metrics
    #expect(metrics.submitting == 5)
    #expect(metrics.sent == 2)
    #expect(await store.send(named("too late")).outcome.kind == .rejected)
    gate.open()
    #expect(await waiting.outcome.kind == .finished)
    for submit in submits { #expect(try await submit.value.outcome.kind == .finished) }
    #expect(await store.log == ["waiting", "0", "1", "2", "3", "4"])
    #expect(await store.metrics.submitting == 0)
    #expect(await store.metrics.sent == 8)
  }

  @Test("A1: a later submit does not pass one that is suspended, though its action would not have to wait")
  func nobodyPasses() async throws {
    let store = store()
    _ = try await takeSlot(of: store)
    let waiting = store.send(named("waiting"))
    let first = suspend(named("first"), at: store)
    let second = suspend(.commit("second"), at: store)
    #expect(await store.metrics.submitting == 2)
    #expect(await store.log == [])
    waiting.cancel()
    let accepted = try await first.value
    #expect(await store.metrics.submitting == 1)
    #expect(await store.log == [])
    gate.open()
    #expect(try await second.value.outcome.kind == .finished)
    #expect(await accepted.outcome.kind == .finished)
    #expect(await store.log == ["second", "first"])
  }

  @Test(
    "A1: a submit that was queued behind another thread's step does not pass one in line, though a drain takes it up first"
  )
  func aLeftSubmitPassesNobody() async throws {
    let store = store()
    _ = try await takeSlot(of: store)
    let waiting = store.send(named("waiting"))
    let left = Box<Task<Receipt, any Error>?>(nil)
    let first = suspend(
      .decide { _ in
        // The drain is registered while this step is in progress, and begins between this action and the next in line.
        onThread { store.core.beginShutdown(drainFor: .seconds(60)) }
        store.core.waitUntilWanted()
        left.value = suspend(.commit("left"), at: store)
        return .mutate("first")
      }, at: store)
    let second = suspend(.commit("second"), at: store)
    #expect(await store.metrics.submitting == 2)
    waiting.cancel()
    #expect(try await first.value.outcome.kind == .finished)
    #expect(await #expect(throws: StoreError.self) { try await second.value }?.code == .shutDown)
    #expect(await #expect(throws: StoreError.self) { try await left.value?.value }?.code == .shutDown)
    gate.open()
    #expect(await store.log == ["first"])
  }

  // Regression: it waited forever, because only the end of a wait resumed the suspended submits.
  @Test("A1: with no room to wait at all, a submit continues when the slot is free")
  func noRoomAtAll() async throws {
    let store = store(waiting: 0)
    _ = try await takeSlot(of: store)
    let submits = [suspend(named("0"), at: store), suspend(named("1"), at: store)]
    #expect(await store.metrics.submitting == 2)
    gate.open()
    for submit in submits { #expect(try await submit.value.outcome.kind == .finished) }
    #expect(await store.log == ["0", "1"])
  }

  // It used to be accepted, and then rejected as full, or to shed another one.
  @Test(
    "A1: submit suspends while as many wait as may, though a slot is free",
    arguments: StoreConfiguration.Overflow.allCases)
  func suspendsThoughASlotIsFree(policy: StoreConfiguration.Overflow) async throws {
    let store = store(runs: 4, policy)
    _ = try await takeSlot(of: store)
    store.setLimit(0, key: "k")
    let waiting = store.send(named("waiting").planned(.serial(key: "k")))
    let submit = suspend(named("submitted").planned(.serial(key: "k")), at: store)
    #expect(await store.metrics.submitting == 1)
    store.setLimit(nil, key: "k")
    #expect(await waiting.outcome.kind == .finished)
    #expect(try await submit.value.outcome.kind == .finished)
    #expect(await store.log == ["waiting", "submitted"])
    gate.open()
  }

  // MARK: Cancelling

  @Test("A1: a submit that is cancelled while suspended throws, and its action was never accepted")
  func cancelledWhileSuspended() async throws {
    let store = store()
    _ = try await takeSlot(of: store)
    store.send(named("waiting"))
    let submits = (0..<3).map { suspend(named("\($0)"), at: store) }
    submits[1].cancel()
    await #expect(throws: CancellationError.self) { try await submits[1].value }
    #expect(await store.metrics.submitting == 2)
    gate.open()
    #expect(try await submits[0].value.outcome.kind == .finished)
    #expect(try await submits[2].value.outcome.kind == .finished)
    #expect(await store.log == ["waiting", "0", "2"])
    #expect(await store.metrics.sent == 4)
  }

  @Test("A1: a submit that is cancelled before it could suspend throws and accepts nothing", arguments: [0, 1])
  func cancelledBeforeSuspending(waiting: Int) async throws {
    let store = store()
    _ = try await takeSlot(of: store)
    for _ in 0..<waiting { store.send(named("waiting")) }
    let task = Task.immediate { [gate] in
      withUnsafeCurrentTask { $0?.cancel() }
      defer { gate.open() }
      return try await store.submit(named("never"))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(await store.metrics.submitting == 0)
    #expect(await !store.log.contains("never"))
  }

  @Test("A1: of cancelling and accepting a submit exactly one happens, while 8 tasks try both", arguments: 1...5)
  func cancellingRacesAccepting(round: Int) async throws {
    let store = store(runs: 1, waiting: 1)
    let accepted = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          var accepted = 0
          for number in 0..<40 {
            let submit = Task { try await store.submit(.handle { $0.emit("ran") }) }
            if number % 2 == 0 { _ = await store.metrics }
            submit.cancel()
            if let receipt = try? await submit.value {
              accepted += 1
              #expect(await receipt.outcome.kind == .finished)
            }
          }
          return accepted
        }
      }
      return await group.reduce(0, +)
    }
    let metrics = await store.metrics
    #expect(await store.log.count == accepted)
    #expect(metrics.sent == accepted)
    #expect(metrics.submitting == 0)
    #expect(metrics.waiting == 0)
  }

  // It used to throw that the store is shut down.
  @Test(
    "A2: cancelling everything, or a key, refuses no submit that was queued behind another thread's step",
    arguments: [true, false])
  func cancelRefusesNoSubmit(cancelsAll: Bool) async throws {
    let store = store()
    let latch = Latch()
    let thread = onThread {
      store.send(
        .commit(
          ScriptedInteractor.Mutation("block") {
            latch.pass()
            if cancelsAll { store.cancelAll() } else { store.cancel(key: "another") }
          }))
    }
    try await latch.waitForArrival()
    let submit = suspend(named("left"), at: store)
    latch.open()
    let receipt = try await submit.value
    #expect(await receipt.outcome.kind == (cancelsAll ? .cancelled : .finished))
    await thread.value
  }

  // MARK: The end

  @Test("S1: a submit that is suspended when the store shuts down throws, and so does a later one", arguments: [0, 60])
  func shutdownEndsSubmits(seconds: Int) async throws {
    let store = store()
    _ = try await takeSlot(of: store)
    store.send(named("waiting"))
    let submit = suspend(named("never"), at: store)
    let shutdown = Task.immediate { await store.shutdown(drainFor: .seconds(seconds)) }
    #expect(await #expect(throws: StoreError.self) { try await submit.value }?.code == .shutDown)
    #expect(await #expect(throws: StoreError.self) { try await store.submit(named("never")) }?.code == .shutDown)
    gate.open()
    _ = await shutdown.value
    #expect(await #expect(throws: StoreError.self) { try await store.submit(.commit("never")) }?.code == .shutDown)
    #expect(await !store.log.contains("never"))
    #expect(await store.metrics.submitting == 0)
    #expect(
      StoreError(.shutDownBeforeAcceptance).description
        == "The store is shut down and takes no more actions; submit to a store that is running.")
  }

  @Test("A1: inside a run of the same store, in its tasks too, submit is send and does not suspend", arguments: 0...2)
  func insideARun(place: Int) async throws {
    let store = store(runs: 1, waiting: 0)
    let kinds = Recorder<Outcome.Kind>()
    let receipt = store.send(
      .handle { run in
        let submit: @Sendable () async throws -> Void = {
          kinds.record(try await store.submit(.commit("inside")).outcome.kind)
          kinds.record(try await store.submit(.handle { _ in }).outcome.kind)
        }
        switch place {
        case 0: try await submit()
        case 1:
          async let child: Void = submit()
          try await child
        default: try await Task { try await submit() }.value
        }
      })
    #expect(try await kinds.next(2) == [.finished, .rejected])
    #expect(await receipt.outcome.kind == .finished)
    #expect(await store.log == ["inside"])
  }

  @Test("A1: inside a run of another store submit suspends, also where this store is a new one")
  func insideARunOfAnotherStore() async throws {
    let (other, store) = (store(), store())
    let submitted = Recorder<Outcome.Kind>()
    other.send(
      .handle { _ in
        submitted.record(try await store.submit(named("first")).outcome.kind)
      })
    #expect(try await submitted.next() == .finished)
    _ = try await takeSlot(of: store)
    store.send(named("waiting"))
    other.send(
      .handle { _ in
        submitted.record(try await store.submit(named("submitted")).outcome.kind)
      })
    #expect(await store.metrics.submitting == 1)
    gate.open()
    #expect(try await submitted.next() == .finished)
    #expect(await store.log == ["first", "waiting", "submitted"])
  }

  @Test("R6: a suspended submit holds the store")
  func aSubmitHoldsTheStore() async throws {
    let owned = Box<Store<ScriptedInteractor>?>(store())
    weak let store = owned.value
    _ = try await takeSlot(of: #require(owned.value))
    owned.value?.send(named("waiting"))
    let submit = Task.immediate { try await owned.value?.submit(named("submitted")) }
    #expect(await owned.value?.metrics.submitting == 1)
    owned.value = nil
    #expect(store != nil)
    gate.open()
    let receipt = try await submit.value
    _ = await receipt?.outcome
    #expect(store == nil)
  }
}
