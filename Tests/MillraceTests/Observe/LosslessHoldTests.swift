import MillraceTesting
import Testing

@testable import Millrace

/// Stores that wait for a lossless observer, with plans, limits, cancellation and shutdown.
@Suite("Lossless hold", .timeLimit(.minutes(1)))
struct LosslessHoldTests {
  let clock = TestClock()

  private func store(_ limits: StoreConfiguration.Limits = .standard) -> Store<ScriptedInteractor> {
    Store<ScriptedInteractor>(StoreConfiguration(clock: clock, limits: limits))
  }

  /// Keeps the store held from two commits on.
  private func observe(_ store: Store<ScriptedInteractor>, bound: Int = 2)
    -> StoreSequence<Snapshot<ScriptedInteractor.State>, StoreError>.Iterator
  {
    store.snapshots(.lossless(pausesAt: bound, endsAt: 100)).makeAsyncIterator()
  }

  @Test("O3: actions accepted before continue: the turn of a serial key comes, a debounced action is taken up")
  func acceptedBefore() async throws {
    let store = store()
    var observer = observe(store)
    let (one, two) = (Probe("one"), Probe("two"))
    let first = store.send(one.action(.serial(key: "k")))
    let second = store.send(two.action(.serial(key: "k")))
    let late = store.send(.commit("late").planned(.latest(key: "d").debounce(.seconds(1))))
    try await one.waitForStart()
    #expect(await store.send(.commit("more")).outcome.isFinished)
    guard case .rejected(.full(let limit)) = await store.send(.commit("held")).outcome else {
      Issue.record("the action was not rejected as full")
      return
    }
    #expect(limit.hasPrefix("A lossless observer is too far behind"))
    #expect(await store.send(two.action(.serial(key: "k"))).rejectionKind == .full)
    #expect(await store.send(.commit("held").planned(.latest(key: "d").debounce(.seconds(1)))).rejectionKind == .full)
    one.open()
    #expect(await first.outcome.isFinished)
    two.open()
    #expect(await second.outcome.isFinished)
    clock.advance(by: .seconds(1))
    #expect(await late.outcome.isFinished)
    let log = await store.log
    #expect(log == ["one begins", "more", "one done", "two begins", "two done", "late"])
    for revision in 0...6 { #expect(try await observer.next()?.state.log == Array(log.prefix(revision))) }
    #expect(await store.send(.commit("again")).outcome.isFinished)
  }

  @Test(
    "O3: a store that is held rejects the new one whatever its policy, and drops none that waits for it",
    arguments: StoreConfiguration.Overflow.allCases)
  func overflowPolicies(policy: StoreConfiguration.Overflow) async throws {
    let store = store(StoreConfiguration.Limits(runsInFlight: 1, actionsWaiting: 1, onOverflow: policy))
    let observer = observe(store)
    let (running, waiting) = (Probe("running"), Probe("waiting"))
    let first = store.send(running.action(.concurrent))
    let second = store.send(waiting.action(.concurrent))
    #expect(await store.send(Probe("new").action(.concurrent)).rejectionKind == .full)
    #expect(await store.metrics.waiting == 1)
    running.open()
    waiting.open()
    #expect(await first.outcome.isFinished)
    #expect(await second.outcome.isFinished)
    #expect(await store.log == ["running begins", "waiting begins", "running done", "waiting done"])
    withExtendedLifetime(observer) {}
  }

  @Test(
    "O3: cancelAll ends the actions of a held store; a suspended submit is no part of them and continues when it may")
  func cancelAll() async throws {
    let store = store()
    var observer: StoreSequence<Snapshot<ScriptedInteractor.State>, StoreError>.Iterator? = observe(store, bound: 3)
    #expect(try await observer?.next()?.revision == 0)
    let (running, waiting) = (Probe("running"), Probe("waiting"))
    let first = store.send(running.action(.serial(key: "k")))
    let second = store.send(waiting.action(.serial(key: "k")))
    store.send(.decide { _ in .mutate(["a", "b"]) })
    let submitting = Task.immediate { try await store.submit(.commit("submitted")) }
    #expect(await store.metrics.submitting == 1)
    store.cancelAll()
    #expect(await first.outcome.kind == .cancelled)
    #expect(await second.outcome.kind == .cancelled)
    #expect(await store.metrics.submitting == 1)
    #expect(await store.send(.commit("held")).rejectionKind == .full)
    observer = nil
    #expect(try await submitting.value.outcome.isFinished)
    #expect(await store.log == ["running begins", "a", "b", "running: cancelled", "submitted"])
    running.open()
  }

  @Test(
    "O3: of two lossless observers the one beyond its limit ends, and the store is held as long as the other is behind")
  func oneLagsOut() async throws {
    let store = store()
    var far = store.snapshots(.lossless(pausesAt: 1, endsAt: 3)).makeAsyncIterator()
    var near = store.snapshots(.lossless(pausesAt: 1, endsAt: 100)).makeAsyncIterator()
    #expect(try await near.next()?.revision == 0)
    let outcome = await store.send(.handle { run in for _ in 1...4 { run.emit("m") } }).outcome
    #expect(outcome.isFinished)
    let submitting = Task.immediate { try await store.submit(.commit("submitted")) }
    #expect(try await far.next()?.revision == 0)
    let error = await #expect(throws: StoreError.self) { try await far.next() }
    #expect(error?.code == .lagged)
    #expect(error?.description.contains(" 4 commits behind") == true)
    #expect(await store.metrics.submitting == 1)
    for revision in 1...3 { #expect(try await near.next()?.revision == revision) }
    #expect(await store.metrics.submitting == 1)
    #expect(try await near.next()?.revision == 4)
    #expect(try await submitting.value.lastRevision == 5)
    #expect(try await near.next()?.revision == 5)
    await #expect(throws: StoreError.self) { try await far.next() }
  }

  @Test("O3: the end of the only observer that is too far behind resumes suspended submits")
  func theOnlyOneLagsOut() async throws {
    let store = store()
    let far = store.snapshots(.lossless(pausesAt: 1, endsAt: 3)).makeAsyncIterator()
    let gate = Gate()
    store.send(
      .handle { run in
        run.emit("1")
        try await gate.enter()
        for number in 2...4 { run.emit(ScriptedInteractor.Mutation("\(number)")) }
      })
    try await gate.waitForArrivals()
    let submitting = (0..<3).map { number in
      Task.immediate { try await store.submit(.commit(ScriptedInteractor.Mutation("submitted \(number)"))) }
    }
    #expect(await store.metrics.submitting == 3)
    gate.open()
    for task in submitting { #expect(try await task.value.outcome.isFinished) }
    #expect(await store.log == ["1", "2", "3", "4", "submitted 0", "submitted 1", "submitted 2"])
    withExtendedLifetime(far) {}
  }

  @Test(
    "O3: a lossless observer that sends in its own loop is rejected while it is behind, never stuck, and misses none")
  func observerSends() async throws {
    let store = store()
    let kinds = Recorder<Outcome.Kind>()
    let observing = Task { [states = store.snapshots(.lossless(pausesAt: 2, endsAt: 100))] in
      var revisions: [Int] = []
      for try await snapshot in states {
        revisions.append(snapshot.revision)
        if snapshot.state.log.last == "go" { continue }
        if snapshot.state.log.last == "end" { break }
        kinds.record(await store.send(.commit("own")).outcome.kind)
        if snapshot.revision == 50 { store.send(.commit("end")) }
      }
      return revisions
    }
    let revisions = try await observing.value
    #expect(revisions == Array(0...(revisions.last ?? 0)))
    #expect(revisions.count > 50)
  }

  @Test("S1: a held store drains: runs in flight end, what they send is rejected as full, and the observer gets all")
  func drains() async throws {
    let store = store()
    var observer = observe(store)
    let (gate, kinds, waiting) = (Gate(), Recorder<Rejection.Kind?>(), Probe("waiting"))
    let running = store.send(
      .handle { run in
        try await gate.enter()
        run.emit("1")
        run.emit("2")
        kinds.record(await store.send(.commit("child")).rejectionKind)
      }.planned(.serial(key: "k")))
    let next = store.send(waiting.action(.serial(key: "k")))
    let debounced = store.send(.commit("debounced").planned(.latest(key: "d").debounce(.seconds(9))))
    try await gate.waitForArrivals()
    store.send(.decide { _ in .mutate(["a", "b"]) })
    let closing = Task { await store.shutdown(drainFor: .seconds(60)) }
    #expect(await debounced.outcome.isFinished)
    gate.open()
    waiting.open()
    #expect(try await kinds.next() == .full)
    #expect(await running.outcome.isFinished)
    #expect(await next.outcome.isFinished)
    #expect(await closing.value.isClean)
    let log = await store.log
    #expect(log == ["a", "b", "debounced", "1", "2", "waiting begins", "waiting done"])
    for revision in 0...7 { #expect(try await observer.next()?.revision == revision) }
    #expect(try await observer.next() == nil)
  }

  @Test(
    "O3: an observer that was too far behind ends with its error, also when the store is shut down or released",
    arguments: [true, false], [true, false])
  func theErrorIsNotLost(isReleased: Bool, isLossless: Bool) async throws {
    var store: Store<ScriptedInteractor>? = store()
    let policy: ObservationPolicy<StoreError> =
      isLossless ? .lossless(pausesAt: 1, endsAt: 2) : .every(endsAt: 2)
    var iterator = try #require(store?.snapshots(policy).makeAsyncIterator())
    store?.send(.decide { _ in .mutate(["1", "2", "3"]) })
    await store?.settle()
    if !isReleased { await store?.shutdown() }
    if isReleased { store = nil }
    #expect(try await iterator.next()?.revision == 0)
    let error = await #expect(throws: StoreError.self) { try await iterator.next() }
    #expect(error?.description.contains(" 3 commits behind") == true)
  }

  @Test(
    "Numbers of commits without end are no mistake",
    arguments: [
      ObservationPolicy(.every(buffer: .max)), .every(endsAt: .max), .lossless(pausesAt: .max),
      .lossless(pausesAt: .max, endsAt: .max), .lossless(pausesAt: .min, endsAt: .max),
    ] as [ObservationPolicy<StoreError>])
  func endlessNumbers(policy: ObservationPolicy<StoreError>) async throws {
    let store = store()
    store.send(.commit("1"))
    var iterator = store.snapshots(policy).makeAsyncIterator()
    store.send(.commit("2"))
    for revision in 1...2 { #expect(try await iterator.next()?.revision == revision) }
  }
}
