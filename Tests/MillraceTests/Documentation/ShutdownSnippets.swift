import Millrace
import MillraceTesting
import Testing

/// The snippets of docs/shutdown.md, as they stand there.
enum ShutdownSnippets {
  static func drain(_ store: Store<Chores>, _ print: (ShutdownReport) -> Void) async {
    // snippet.shutdown
    let report = await store.shutdown(drainFor: .seconds(10))
    if !report.isClean { print(report) }
    // snippet.end
  }

  static func serve(_ store: Store<Chores>) -> Task<Void, Never> {
    // snippet.lifetime
    let service = Task { await store.run(drainFor: .seconds(10)) }
    // snippet.end
    return service
  }

  static func goOn(after store: Store<Chores>, _ interactor: Chores) async -> Store<Chores> {
    // snippet.left
    let next = Store(initial: await store.state, interactor: interactor)
    // snippet.end
    return next
  }
}

@Suite("Shutdown", .timeLimit(.minutes(1)))
struct ShutdownSnippetsTests {
  private typealias Action = Chores.Action

  private func makeStore(_ clock: TestClock) -> Store<Chores> {
    Store(initial: [], interactor: Chores(), configuration: StoreConfiguration(clock: clock))
  }

  @Test("S1: Drained, cancelled, not returned: the report says which, and a new store continues from the state")
  func drain() async throws {
    let clock = TestClock()
    let store = makeStore(clock)
    let (gate, never) = (Gate(), Gate())
    let drained = store.send(Action("A") { _ in try await gate.enter() })
    let cut = store.send(Action("B") { _ in try await never.enter() })
    let held = store.send(Action("C", .latest(key: 1).debounce(.seconds(60)), begins: true, handles: false))
    try await gate.waitForArrivals(1)
    try await never.waitForArrivals(1)
    let reports = Recorder<ShutdownReport>()
    let shutdown = Task.immediate { await ShutdownSnippets.drain(store, reports.record) }
    // What is debounced is taken up at once.
    #expect(await held.outcome.kind == .finished)
    #expect(await store.send(Action("D")).outcome.rejectionKind == .shuttingDown)
    #expect(await #expect(throws: StoreError.self) { try await store.submit(Action("E")) }?.code == .shutDown)
    gate.open()
    #expect(await drained.outcome.kind == .finished)
    clock.advance(by: .seconds(10))
    await shutdown.value
    let report = try await reports.next()
    #expect(report.drained == 2)
    #expect(report.cancelled == [cut.id])
    #expect(report.notReturned == [cut.id])
    #expect("\(report)" == "2 drained, 1 (\(cut.id)) cancelled, 1 (\(cut.id)) not returned")
    #expect(await store.shutdown() == report)

    let next = await ShutdownSnippets.goOn(after: store, Chores())
    #expect(await next.state == ["C", "B shutDown"])
    #expect(await next.send(Action("F", begins: true, handles: false)).outcome.kind == .finished)
    #expect(await next.snapshot.revision == 1)
  }

  @Test("S1: Actions that runs in flight send are accepted while the store drains")
  func sendsOfRuns() async throws {
    let store = makeStore(TestClock())
    let gate = Gate()
    let inner = Recorder<Receipt>()
    store.send(
      Action("A") { [weak store] _ in
        try await gate.enter()
        if let store { inner.record(store.send(Action("B", begins: true))) }
      })
    try await gate.waitForArrivals(1)
    let shutdown = Task.immediate { await store.shutdown(drainFor: .seconds(10)) }
    gate.open()
    #expect(await (try inner.next()).outcome.kind == .finished)
    #expect(await shutdown.value.isClean)
    #expect(await store.state == ["B"])
  }

  @Test("S1: A second call joins the first, and the earlier deadline counts")
  func joining() async throws {
    let store = makeStore(TestClock())
    let gate = Gate()
    let receipt = store.send(Action("A") { _ in try await gate.enter() })
    try await gate.waitForArrivals(1)
    let first = Task.immediate { await store.shutdown(drainFor: .seconds(10)) }
    let second = await store.shutdown()
    #expect(await first.value == second)
    #expect(second.cancelled == [receipt.id])
  }

  @Test("S1: A run that shuts its store down is cancelled when the others have ended")
  func fromInside() async throws {
    let store = makeStore(TestClock())
    let reports = Recorder<ShutdownReport>()
    let receipt = store.send(
      Action("A") { [weak store] _ in
        if let store { reports.record(await store.shutdown(drainFor: .seconds(10))) }
      })
    #expect(try await reports.next().cancelled == [receipt.id])
    #expect(await receipt.outcome.kind == .shutDown)
  }

  @Test("S1: A store runs until its service is cancelled")
  func service() async throws {
    let store = makeStore(TestClock())
    let service = ShutdownSnippets.serve(store)
    #expect(await store.send(Action("A")).outcome.kind == .finished)
    service.cancel()
    await service.value
    #expect(await store.send(Action("B")).outcome.rejectionKind == .shuttingDown)
  }
}
