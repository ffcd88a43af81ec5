import MillraceTesting
import Testing

@testable import Millrace

@Suite("ReactiveEffects", .timeLimit(.minutes(1)))
struct ReactiveEffectsTests {
  typealias Feedback = Millrace.Feedback<ClosureInteractor.State, ClosureInteractor.Action>

  /// The log of the effects of a test.
  let log = Recorder<String>()

  private func store(_ state: ClosureInteractor.State = ClosureInteractor.State(), _ feedbacks: Feedback...) -> Store<
    ClosureInteractor
  > {
    Store(initial: state, interactor: ClosureInteractor(), feedbacks: feedbacks)
  }

  /// Stays until it is cancelled.
  private var staying: Feedback {
    .react(to: \.text) { [log] query, _ in
      log.record("\(query) begins")
      try? await Gate().enter()
      log.record("\(query) is cancelled")
    }
  }

  @Test("An effect runs while the query is that value; it is cancelled when the query changes, or becomes nil")
  func follows() async throws {
    let store = store(ClosureInteractor.State(), staying)
    store.send(.text("a"))
    #expect(try await log.next() == "a begins")
    store.send(.text("b"))
    #expect(try await Set(log.next(2)) == ["a is cancelled", "b begins"])
    store.send(.text(nil))
    #expect(try await log.next() == "b is cancelled")
    store.send(.text("b"))
    #expect(try await log.next() == "b begins")
  }

  @Test("An effect begins with the state the store begins with, as after a restore")
  func beginsAtOnce() async throws {
    let store = store(ClosureInteractor.State(text: "restored"), staying)
    #expect(try await log.next() == "restored begins")
    await store.shutdown()
    #expect(try await log.next() == "restored is cancelled")
  }

  @Test("An effect that has returned is not run again for the same query when other parts change")
  func runsOnce() async throws {
    let store = store(
      ClosureInteractor.State(text: "a"),
      .react(to: \.text) { [log] query, access in
        log.record(query)
        access.send(.increment)
      })
    #expect(try await log.next() == "a")
    try await store.wait { $0.count == 1 }
    for other in 1...10 { store.send(.other(other)) }
    store.send(.text("a"))
    store.send(.text("b"))
    #expect(try await log.next() == "b")
    try await store.wait { $0.count == 2 }
    #expect(log.recorded == ["a", "b"])
  }

  @Test("An action that a cancelled effect sends later is not accepted, in any way of sending")
  func lateSends() async throws {
    let (gate, kinds) = (Gate(), Recorder<Outcome.Kind?>())
    let store = store(
      ClosureInteractor.State(text: "a"),
      .react(to: \.text) { [log] query, access in
        log.record(query)
        guard query == "a" else { return }
        access.send(.append(1))
        await gate.enterIgnoringCancellation()
        kinds.record(await access.send(.append(2)).outcome.kind)
        kinds.record(await access.sender.send(.append(3), context: TraceContext(traceparent: "t")).outcome.kind)
        for outcome in await access.sender.send(contentsOf: [.append(4), .append(5)]).outcomes {
          kinds.record(outcome.kind)
        }
        // In a task of its own it is not cancelled.
        kinds.record(await Task { try? await access.sender.submit(.append(6)).outcome.kind }.value)
        kinds.record(await access.sender.scope { .append($0) }.send(7).outcome.kind)
      })
    try await store.wait { $0.items == [1] }
    store.send(.text("b"))
    #expect(try await log.next(2) == ["a", "b"])
    gate.open()
    #expect(
      try await kinds.next(6) == [.cancelled, .cancelled, .cancelled, .cancelled, nil, .cancelled])
    #expect(await store.state.items == [1])
    #expect(await store.metrics.sent == 2)
  }

  @Test(
    "A submit that waits for room when its effect is cancelled is not accepted, not even from a task of its own")
  func lateSubmit() async throws {
    let (gate, results) = (Gate(), Recorder<Bool>())
    let store = Store(
      initial: ClosureInteractor.State(), interactor: ClosureInteractor(),
      configuration: StoreConfiguration(limits: StoreConfiguration.Limits(runsInFlight: 1, actionsWaiting: 0)),
      feedbacks: [
        .react(to: \.text) { [log] query, access in
          if query == "a" {
            let submitting = Task.immediate { try await access.sender.submit(.append(1)) }
            log.record(query)
            await results.record((try? submitting.value) != nil)
          } else {
            log.record(query)
          }
        }
      ])
    store.send(.handle { _ in await gate.enterIgnoringCancellation() })
    try await gate.waitForArrivals()
    store.send(.text("a"))
    #expect(try await log.next() == "a")
    #expect(await store.metrics.submitting == 1)
    store.send(.text("b"))
    #expect(try await log.next() == "b")
    gate.open()
    #expect(try await results.next() == false)
    #expect(await store.state.items.isEmpty)
  }

  @Test("One feedback given to two stores feeds each from its own state")
  func twoStores() async throws {
    let feedback: Feedback = .react(to: \.text) { _, access in
      access.send(.count(await access.state.other))
    }
    let (first, second) = (
      store(ClosureInteractor.State(other: 1), feedback), store(ClosureInteractor.State(other: 2), feedback)
    )
    first.send(.text("a"))
    try await first.wait { $0.count == 1 }
    second.send(.text("a"))
    try await second.wait { $0.count == 2 }
    #expect(await first.state.count == 1)
  }

  @Test("Of several queries each has its own effect, and one that stays is left alone")
  func each() async throws {
    let store = store(
      ClosureInteractor.State(items: [1, 2]),
      .react(toEach: { Set($0.items) }) { [log] query, _ in
        log.record("\(query) begins")
        try? await Gate().enter()
        log.record("\(query) is cancelled")
      })
    #expect(try await Set(log.next(2)) == ["1 begins", "2 begins"])
    store.send(.write { $0.items = [2, 3, 2] })
    #expect(try await Set(log.next(2)) == ["1 is cancelled", "3 begins"])
    store.send(.write { $0.items = [3, 2] })
    store.send(.write { $0.items = [] })
    #expect(try await Set(log.next(2)) == ["2 is cancelled", "3 is cancelled"])
    #expect(log.recorded.count == 6)
  }

  @Test("Effects for which no query asks any more are cancelled in the order in which they began")
  func cancelOrder() async throws {
    let (begun, cancelled) = (Recorder<Int>(), Recorder<Int>())
    let effects = ReactiveEffects<Int> { query, _ in
      await withTaskCancellationHandler {
        begun.record(query)
        try? await Gate().enter()
      } onCancel: {
        cancelled.record(query)
      }
    }
    let order = [5, 2, 7, 1, 8, 3, 6, 4]
    for count in 1...order.count {
      effects.run(Set(order.prefix(count)))
      #expect(try await begun.next() == order[count - 1])
    }
    effects.run([])
    #expect(cancelled.recorded == order)
  }

  @Test("Effects begin in one order, however the set of their queries is stored")
  func beginOrder() async {
    let orders = Recorder<[Int]>()
    for capacity in [0, 100, 10_000] {
      // Tasks run there in the order in which they begin.
      await Simulation.run(plan: "1 steps none") { _ in
        let begun = Recorder<Int>()
        let effects = ReactiveEffects<Int> { query, _ in begun.record(query) }
        var queries = Set<Int>(minimumCapacity: capacity)
        for query in 0..<8 { queries.insert(query) }
        effects.run(queries)
        orders.record(try await begun.next(8))
      }
    }
    #expect(orders.recorded.count == 3 && Set(orders.recorded).count == 1, "\(orders.recorded)")
  }

  @Test("A query that changes 1,000 times leaves the effect of the last one, and no other")
  func manyChanges() async throws {
    let (running, over) = (Box(Set<String>()), Recorder<Void>())
    func feedback() -> Feedback {
      let token = ReleaseRecorder(over)
      return .react(to: \.text) { [log] query, _ in
        running.update { _ = $0.insert(query) }
        log.record(query)
        try? await Gate().enter()
        running.update { _ = $0.remove(query) }
        log.record("no \(query)")
        withExtendedLifetime(token) {}
      }
    }
    let store = store(ClosureInteractor.State(), feedback())
    let last = scaled(1_000)
    for number in 1...last { store.send(.text("\(number)")) }
    while try await log.next() != "\(last)" {}
    await store.shutdown()
    while try await log.next() != "no \(last)" {}
    // Each effect that began is cancelled and releases what it holds; some may have been skipped.
    try await over.next()
    #expect(running.value.isEmpty)
  }
}
