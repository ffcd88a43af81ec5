import Millrace
import MillraceTesting
import Testing

@Suite("Releasing a store", .timeLimit(.minutes(1)))
struct StoreReleaseTests {
  /// Holds the only reference to a store until `release()`.
  final class Owner: Sendable {
    private let owned: Box<Store<Keeper>?>
    let freed = Recorder<Void>()
    let closed = Recorder<Outcome.Kind>()
    let clock = TestClock()

    init() {
      owned = Box(nil)
      owned.value = Store(
        initial: Keeper.State(canary: Keeper.Canary(freed)), interactor: Keeper(closed: closed),
        configuration: StoreConfiguration(clock: clock))
    }

    /// The store; not to be kept.
    var store: Store<Keeper> {
      guard let store = owned.value else { preconditionFailure("The store was let go.") }
      return store
    }

    /// Releases the store.
    func release() {
      owned.value = nil
    }
  }

  let owner = Owner()

  @Test("R6: releasing an idle store frees it and its state at once")
  func anIdleStoreIsFreed() async throws {
    weak let store = owner.store
    owner.store.send(.commit)
    #expect(await owner.store.state.commits == 1)
    owner.release()
    #expect(store == nil)
    #expect(owner.freed.recorded.count == 1)
  }

  @Test("R6: releasing a store that sleeps until a timer frees its state at once")
  func aStoreWithATimerIsFreed() async throws {
    let receipt = owner.store.send(.later)
    try await owner.clock.waitForSleepers(1)
    owner.release()
    #expect(owner.freed.recorded.count == 1)
    #expect(await receipt.outcome.kind == .shutDown)
  }

  @Test("R6: releasing the store cancels its runs, and ends their receipts as shut down without closing")
  func runsAreCancelled() async throws {
    weak let store = owner.store
    let gate = Gate()
    let receipt = owner.store.send(.enter(gate))
    let batch = owner.store.send(contentsOf: [.commit, .enter(gate)])
    try await gate.waitForArrivals(2)
    owner.release()
    #expect(store == nil)
    #expect(await receipt.outcome.kind == .shutDown)
    #expect(await batch.outcomes.map(\.kind) == [.finished, .shutDown])
    try await owner.freed.next()  // The handlers have left the gate, which is closed.
    #expect(gate.waiting == 0)
    #expect(owner.closed.recorded == [])
  }

  @Test(
    "R6: a handler that ignores its cancellation emits nothing after the release, and frees the state when it returns")
  func aStubbornHandlerEmitsNothing() async throws {
    weak let store = owner.store
    let gate = Gate()
    let emitted = Recorder<Bool>()
    let receipt = owner.store.send(.stay(gate, emitted))
    try await gate.waitForArrivals()
    owner.release()
    #expect(store == nil)
    #expect(await receipt.outcome.kind == .shutDown)
    #expect(owner.freed.recorded.isEmpty)
    gate.open()
    #expect(try await !emitted.next())
    try await owner.freed.next()
    #expect(owner.closed.recorded == [])
  }

  @Test("R6: actions that are queued behind another thread's step at the release end as shut down, and are not decided")
  func leftActionsEnd() async throws {
    let gate = Gate()
    let runs = Recorder<Run<Keeper>>()
    let left = Box<[Receipt]>([])
    owner.store.send(.handOut(runs, gate))
    let run = try await runs.next()
    run.emit(
      .inside { [owner] in
        left.update { $0 = [owner.store.send(.commit), owner.store.send(.enter(gate))] }
        owner.release()
      })
    #expect(await kinds(left.value) == [.shutDown, .shutDown])
    #expect(try await run.state.commits == 0)
    #expect(owner.closed.recorded == [])
    gate.open()
  }

  @Test("R6: releasing the store ends its sequences, waiting or not")
  func sequencesEnd() async throws {
    let states = owner.store.states
    let commits = owner.store.values(of: \.commits)
    let seenStates = Recorder<Int>()
    let seenCommits = Recorder<Int>()
    let observers = [
      Task { for await state in states { seenStates.record(state.commits) } },
      Task { for await commit in commits { seenCommits.record(commit) } },
    ]
    #expect(try await seenStates.next() == 0)
    #expect(try await seenCommits.next() == 0)
    owner.store.send(.commit)
    #expect(try await seenStates.next() == 1)
    #expect(try await seenCommits.next() == 1)
    owner.release()
    for observer in observers { await observer.value }
    try await owner.freed.next()  // A pass over the values may still be at its end.
    var later = states.makeAsyncIterator()
    #expect(await later.next(isolation: nil) == nil)
    #expect(owner.freed.recorded.count == 1)
  }

  @Test("R6: receipts, sequences, iterators and runs do not hold the store")
  func nothingHoldsTheStore() async throws {
    weak let store = owner.store
    let gate = Gate()
    let runs = Recorder<Run<Keeper>>()
    let receipt = owner.store.send(.handOut(runs, gate))
    let decided = owner.store.send(.commit)
    let batch = owner.store.send(contentsOf: [.enter(gate)])
    let run = try await runs.next()
    let states = owner.store.states
    var iterator = states.makeAsyncIterator()
    #expect(await iterator.next(isolation: nil)?.commits == 1)
    let values = owner.store.values { $0.commits }
    var valueIterator = values.makeAsyncIterator()
    #expect(await valueIterator.next(isolation: nil) == 1)
    owner.release()
    #expect(store == nil)
    #expect(await receipt.outcome.kind == .shutDown)
    #expect(await decided.outcome.kind == .finished)
    #expect(await batch.outcomes.map(\.kind) == [.shutDown])
    #expect(!run.emit(.committed))
    #expect(try await run.state.commits == 1)
    #expect(await valueIterator.next(isolation: nil) == nil)
    gate.open()
  }

  // It used to wait for ever: a store that was released idle did not end, and the handler kept it from being freed.
  @Test("R6: a sequence ends after the release, though a cancelled handler has not returned when it is first iterated")
  func aSequenceEndsBesideAStubbornHandler() async throws {
    let gate = Gate()
    let emitted = Recorder<Bool>()
    let states = owner.store.states
    let commits = owner.store.values(of: \.commits)
    let receipt = owner.store.send(.stay(gate, emitted))
    try await gate.waitForArrivals()
    receipt.cancel()
    owner.release()
    for await _ in states {}  // It may deliver the last state; then it has to end.
    for await _ in commits {}
    gate.open()
    #expect(try await !emitted.next())
    try await owner.freed.next()
  }

  @Test("R6: a store that is released inside a commit of its own ends right after it")
  func releasedInsideACommit() async throws {
    weak let store = owner.store
    let gate = Gate()
    let runs = Recorder<Run<Keeper>>()
    let receipt = owner.store.send(.handOut(runs, gate))
    let run = try await runs.next()
    run.emit(.inside { [owner] in owner.release() })
    #expect(store == nil)
    #expect(!run.emit(.committed))
    #expect(await receipt.outcome.kind == .shutDown)
    gate.open()
  }

  @Test("R6: a suspended wait holds the store")
  func aWaitHoldsTheStore() async throws {
    weak let store = owner.store
    let judged = Recorder<Int>()
    let gate = Gate()
    let runs = Recorder<Run<Keeper>>()
    owner.store.send(.handOut(runs, gate))
    let run = try await runs.next()
    let waiting = Task.immediate { [owner] in
      try await owner.store.wait { state in
        judged.record(state.commits)
        return state.commits == 1
      }.commits
    }
    #expect(try await judged.next() == 0)
    owner.release()
    #expect(store != nil)
    #expect(run.emit(.committed))
    #expect(try await waiting.value == 1)
    #expect(store == nil)
    gate.open()
  }
}

/// An interactor whose state holds an object that tells when it is freed.
struct Keeper: Interactor {
  /// Records its end.
  final class Canary: Sendable {
    let freed: Recorder<Void>

    init(_ freed: Recorder<Void>) {
      self.freed = freed
    }

    deinit {
      freed.record(())
    }
  }

  struct State: Sendable {
    var canary: Canary
    var commits = 0
  }

  enum Action: Sendable {
    case commit
    /// Committed when it was debounced for a second.
    case later
    case enter(Gate)
    case stay(Gate, Recorder<Bool>)
    case handOut(Recorder<Run<Keeper>>, Gate)
  }

  enum Mutation: Sendable {
    case committed
    case inside(@Sendable () -> Void)
  }

  let closed: Recorder<Outcome.Kind>

  func plan(for action: Action, state: State) -> Plan {
    if case .later = action { .latest(key: "later").debounce(.seconds(1)) } else { .concurrent }
  }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .commit, .later: .mutate(.committed)
    case .enter, .stay, .handOut: .handle
    }
  }

  func handle(_ action: Action, state: State) async -> Effect<Self> {
    Effect { run in
      switch action {
      case .commit, .later: break
      case .enter(let gate): try await gate.enter()
      case .stay(let gate, let emitted):
        await gate.enterIgnoringCancellation()
        emitted.record(run.emit(.committed))
      case .handOut(let runs, let gate):
        runs.record(run)
        await gate.enterIgnoringCancellation()
      }
    }
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .committed: state.commits += 1
    case .inside(let body): body()
    }
  }

  func closing(_ action: Action, outcome: Outcome) -> Mutation? {
    closed.record(outcome.kind)
    return nil
  }
}
