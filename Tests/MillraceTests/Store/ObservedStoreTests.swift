import MillraceTesting
import Observation
import Testing

@testable import Millrace

@Suite("ObservedStore", .timeLimit(.minutes(1)))
@MainActor
struct ObservedStoreTests {
  private typealias Observed = ObservedStore<ClosureInteractor.State, ClosureInteractor.Action>

  private let store = Store<ClosureInteractor>()

  /// Notes that what `read` reads is about to change; once.
  private func watch<Value>(_ changes: Notes<String>, _ name: String, _ read: () -> Value) {
    _ = withObservationTracking(read) {
      changes.note(name)
    }
  }

  /// Returns when `observed` has followed the store to a state with this `other`, which no view reads.
  private func wait(for other: Int, _ observed: Observed) async throws {
    let others = Recorder<Int>()
    let task = others.record(from: Observations { observed.other })
    while try await others.next() != other {}
    task.cancel()
  }

  // MARK: Following

  @Test("The state is there at once, with everything sent before")
  func theStateIsThere() {
    store.send(.count(3))
    let observed = ObservedStore(store)
    #expect(observed.state == ClosureInteractor.State(count: 3))
    #expect(observed.count == 3)
    #expect(observed.text?.count == nil)
  }

  @Test("On the main actor Observations deliver the current value, then each one that is awaited")
  func mainActor() async throws {
    let observed = ObservedStore(store)
    let counts = Recorder<Int>()
    let task = counts.record(from: Observations { observed.count })
    #expect(try await counts.next() == 0)
    for count in 1...3 {
      store.send(.count(count))
      #expect(try await counts.next() == count)
    }
    task.cancel()
  }

  /// A screen that is an actor of its own.
  private actor Screen {
    private var observed: Observed?

    func open(_ store: Store<ClosureInteractor>) {
      observed = ObservedStore(store)
    }

    func counts() -> Observations<Int?, Never> { Observations { self.observed?.count } }

    func send(_ action: ClosureInteractor.Action) -> Int? {
      observed?.send(action)
      return observed?.count
    }
  }

  @Test("On another actor it is the same")
  func anotherActor() async throws {
    let screen = Screen()
    await screen.open(store)
    let counts = Recorder<Int?>()
    let task = counts.record(from: await screen.counts())
    #expect(try await counts.next() == 0)
    store.send(.count(1))
    #expect(try await counts.next() == 1)
    #expect(await screen.send(.count(2)) == 2)
    #expect(try await counts.next() == 2)
    task.cancel()
  }

  @Test("L4: an observer that reads after its notification finds the new state, and all of it")
  func allIsSetTogether() async throws {
    let observed = ObservedStore(store)
    let pairs = Recorder<[Int]>()
    let task = pairs.record(from: Observations { [observed.count, observed.other] })
    #expect(try await pairs.next() == [0, 0])
    store.send(
      .write { state in
        state.count = 1
        state.other = 1
      })
    #expect(try await pairs.next() == [1, 1])
    task.cancel()
  }

  // MARK: Who is told

  @Test("An observer of a value is notified when that value changes, and not of others")
  func fineGrained() async throws {
    let observed = ObservedStore(store)
    let changes = Notes<String>()
    watch(changes, "count") { observed.count }
    watch(changes, "count again") { observed.count }
    watch(changes, "text") { observed.text }
    watch(changes, "state") { observed.state }
    store.send(.other(1))
    try await wait(for: 1, observed)
    #expect(changes.all == ["state"])
    store.send(.count(1))
    store.send(.other(2))
    try await wait(for: 2, observed)
    #expect(changes.all.sorted() == ["count", "count again", "state"])
    store.send(.text("a"))
    store.send(.other(3))
    try await wait(for: 3, observed)
    #expect(changes.all.last == "text")
    #expect(changes.all.count == 4)
  }

  @Test("Readers of several members that change at once are told in the order in which they read")
  func orderOfReaders() {
    let observed = ObservedStore(Store<ClosureInteractor>(items: Array(0..<8)))
    let changes = Notes<String>()
    let order = [5, 2, 7, 1, 0, 3, 6, 4]
    for index in order { watch(changes, "\(index)") { observed[dynamicMember: \.items[index]] } }
    observed.send(.write { state in state.items = state.items.map { $0 + 10 } })
    #expect(changes.all == order.map { "\($0)" })
  }

  /// A state with a part that cannot be compared.
  private struct Loose: Sendable {
    var sheet = ClosureInteractor.State()
    var call: @Sendable () -> Int { { [sheet] in sheet.count } }
  }

  @Test("An observer of a part that cannot be compared is notified of each newer state")
  func notEquatable() async throws {
    let loose = ObservedStore(store.reader.scope { Loose(sheet: $0) })
    let changes = Notes<String>()
    watch(changes, "call") { loose.call }
    let others = Recorder<Int>()
    let task = others.record(from: Observations { loose.sheet.other })
    #expect(try await others.next() == 0)
    store.send(.other(1))
    #expect(try await others.next() == 1)
    #expect(changes.all == ["call"])
    #expect(loose.call() == 0)
    task.cancel()
  }

  @Test("An equal value is nothing new, and who was told and reads again is told again")
  func readingAgain() {
    let observed = ObservedStore(store)
    let changes = Notes<String>()
    watch(changes, "first") { observed.count }
    observed.send(.count(0))
    #expect(changes.all == [])
    observed.send(.count(1))
    #expect(changes.all == ["first"])
    observed.send(.count(2))
    #expect(changes.all == ["first"])
    watch(changes, "second") { observed.count }
    observed.send(.count(3))
    #expect(changes.all == ["first", "second"])
  }

  // MARK: Sending

  @Test("The decision of an action is committed when send returns, and its readers were notified before it was")
  func sending() async {
    let observed = ObservedStore(store)
    nonisolated(unsafe) let told = observed  // It is told here, on the main actor.
    let found = Notes<Int>()
    _ = withObservationTracking {
      observed.count
    } onChange: {
      found.note(told.count)
    }
    let receipt = observed.send(.count(1))
    #expect(observed.count == 1)
    #expect(found.all == [0])
    #expect(await receipt.lastRevision == 1)
  }

  @Test("L5: a reader that sends while it is told is served, and no older state comes after a newer one")
  func sendingWhileTold() async throws {
    let observed = ObservedStore(store)
    nonisolated(unsafe) let told = observed  // It is told here, on the main actor.
    let found = Notes<Int>()
    _ = withObservationTracking {
      observed.count
    } onChange: {
      told.send(.other(7))
      found.note(told.other)
    }
    observed.send(.count(1))
    #expect(found.all == [0])
    #expect(observed.state == ClosureInteractor.State(count: 1))
    try await wait(for: 7, observed)
    #expect(observed.state == ClosureInteractor.State(count: 1, other: 7))
  }

  @Test("Of a part it follows that part and sends its actions, and of a reader alone it sends nothing")
  func parts() async throws {
    let part = ObservedStore(
      store.reader.scope { (text: $0.text ?? "", count: $0.count) },
      store.sender.scope { (text: String) in .text(text) })
    part.send("a")
    #expect(part.text == "a")
    let readOnly: ObservedStore<ClosureInteractor.State, Never> = ObservedStore(store.reader)
    #expect(readOnly.text == "a")
    #expect(await readOnly.sender.send(contentsOf: []).outcomes.isEmpty)
  }

  @Test("A request is answered from the state that it then shows, after its readers were notified")
  func request() async throws {
    let observed = ObservedStore(store)
    let changes = Notes<String>()
    watch(changes, "count") { observed.count }
    let answer = try await observed.request(.handle { run in run.emit { $0.count = 7 } }, returning: { $0.count })
    #expect(answer == 7 && observed.count == 7 && changes.all == ["count"])
    store.setInterceptors([RefusingEverything()])
    let error = await #expect(throws: StoreError.self) {
      try await observed.request(.count(8), returning: { $0.count })
    }
    #expect(error?.outcome?.rejectionKind == .intercepted)
  }

  @Test("A cancelled request throws at once; its action continues, or is cancelled first", arguments: [false, true])
  func cancelledRequest(cancelsAction: Bool) async throws {
    let observed = ObservedStore(store)
    let gate = Gate()
    let answer = Task.immediate {
      try await observed.request(
        .handle { run in
          await gate.enterIgnoringCancellation()
          run.emit { $0.count = 7 }
        }, cancelsAction: cancelsAction, returning: { $0.count })
    }
    try await gate.waitForArrivals()
    answer.cancel()
    await #expect(throws: CancellationError.self) { try await answer.value }
    gate.open()
    await store.shutdown(drainFor: .seconds(60))
    #expect(await store.state.count == (cancelsAction ? 0 : 7))
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await observed.request(.count(1), returning: { $0.count })
    }
    await #expect(throws: CancellationError.self) { try await late.value }
  }

  @Test("A request that waits for room is accepted once there is some, and one that does not is rejected as full")
  func requestThatWaitsForRoom() async throws {
    let store = Store(
      initial: ClosureInteractor.State(), interactor: ClosureInteractor(),
      configuration: StoreConfiguration(limits: StoreConfiguration.Limits(runsInFlight: 1, actionsWaiting: 0)))
    let observed = ObservedStore(store)
    let gate = Gate()
    store.send(.handle { _ in try await gate.enter() })
    try await gate.waitForArrivals()
    let waiting = Task.immediate {
      try await observed.request(
        .handle { run in run.emit { $0.count = 7 } }, waitingForRoom: true, returning: { $0.count })
    }
    let error = await #expect(throws: StoreError.self) {
      try await observed.request(.handle { _ in }, returning: { $0.count })
    }
    #expect(error?.outcome?.rejectionKind == .full)
    gate.open()
    #expect(try await waiting.value == 7)
    #expect(observed.count == 7)
  }

  @Test("A run cannot request an action of its own store without a timeout", arguments: [false, true])
  func requestOfARun(waitingForRoom: Bool) async throws {
    let errors = Recorder<Outcome?>()
    store.send(
      .handle { [store] _ in errors.record(await Self.outcomeOfRequest(at: store, waitingForRoom: waitingForRoom)) })
    #expect(try await errors.next()?.rejectionKind == .notSent)
  }

  private static func outcomeOfRequest(at store: Store<ClosureInteractor>, waitingForRoom: Bool) async -> Outcome? {
    do {
      _ = try await ObservedStore(store).request(
        .count(1), waitingForRoom: waitingForRoom, returning: { $0.count })
      return nil
    } catch {
      return (error as? StoreError)?.outcome
    }
  }

  // MARK: Registry

  @Test("R5: a key path is known while its readers wait to be told, once however many there are")
  func readingsArePruned() {
    let observed = ObservedStore(store)
    for _ in 0..<3 { _ = (observed.count, observed.text, observed.state) }
    #expect(observed.readings.count == 2)
    observed.send(.count(1))
    #expect(observed.readings.keys.map { $0 == \ClosureInteractor.State.text } == [true])
  }

  @Test("R5: when too many key paths are known all readers are notified of the next state, and all are forgotten")
  func readingsAreBounded() {
    let count = Observed.readingsKept
    let store = Store<ClosureInteractor>(items: Array(0...count))
    let observed = ObservedStore(store)
    let changes = Notes<String>()
    watch(changes, "items") {
      for index in 0..<count { _ = observed[dynamicMember: \.items[index]] }
    }
    observed.send(.other(1))
    #expect(changes.all == [])
    #expect(observed.readings.count == count)
    _ = observed.text
    observed.send(.other(2))
    #expect(changes.all == ["items"])
    #expect(observed.readings.isEmpty)
  }

  // MARK: Lifetime

  @Test("R6: it holds its store, and both are freed when it is released, though it follows")
  func release() async throws {
    var store: Store<ClosureInteractor>? = Store<ClosureInteractor>()
    weak let weakStore = store
    var observed = store.map { ObservedStore($0) }
    weak let weakObserved = observed
    store = nil
    let counts = Recorder<Int>()
    let task = counts.record(from: Observations { [weak observed] in observed?.count ?? -1 })
    #expect(try await counts.next() == 0)
    weakStore?.send(.count(1))
    #expect(try await counts.next() == 1)
    #expect(weakStore != nil)
    observed = nil
    #expect(weakObserved == nil)
    #expect(weakStore == nil)
    task.cancel()
  }

  @Test("R6: its task ends when it is released, and leaves nothing running at the store")
  func theTaskEnds() async throws {
    var observed: Observed? = ObservedStore(store)
    let ended = Recorder<Void>()
    Task { [updates = observed?.updates] in
      await updates?.value
      ended.record(())
    }
    store.send(.other(1))
    if let observed { try await wait(for: 1, observed) }
    #expect(store.onRegistry { $0?.positions.elements.count } == 1)
    observed = nil
    try await ended.next()
    #expect(store.onRegistry { $0?.positions.elements.count } == 0)
  }

  @Test("O6: it follows until its store is shut down, and keeps the last state")
  func shutdown() async throws {
    let observed = ObservedStore(store)
    let counts = Recorder<Int>()
    let task = counts.record(from: Observations { observed.count })
    #expect(try await counts.next() == 0)
    store.send(.count(1))
    await store.shutdown()
    #expect(try await counts.next() == 1)
    #expect(await observed.send(.count(2)).rejectionKind == .shuttingDown)
    #expect(observed.count == 1)
    task.cancel()
  }

  @Test("There is no state to be read at once from inside a step, and the one after it right behind")
  func insideAStep() async {
    let reader = store.reader
    let found = Notes<Int?>()
    store.send(
      .write { state in
        state.count = 1
        found.note(reader.source.snapshotAtOnce()?.revision)
      })
    found.note(reader.source.snapshotAtOnce()?.revision)
    #expect(found.all == [nil, 1])
  }

  @Test("It cannot be made from inside a step of its store")
  func madeInsideAStep() async {
    await #expect(processExitsWith: .failure) {
      await MainActor.run {
        let store = Store<ClosureInteractor>()
        store.send(.write { _ in MainActor.assumeIsolated { _ = ObservedStore(store) } })
      }
    }
  }
}

/// Rejects every action.
private struct RefusingEverything: Interceptor {
  typealias I = ClosureInteractor

  func intercept(
    _ action: ClosureInteractor.Action, context: InterceptionContext<ClosureInteractor.Action>
  ) -> Interception<ClosureInteractor.Action> { .reject("not now") }
}
