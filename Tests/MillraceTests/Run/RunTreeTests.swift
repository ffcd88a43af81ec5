import MillraceTesting
import Testing

@testable import Millrace

@Suite("Trees of runs", .timeLimit(.minutes(1)))
struct RunTreeTests {
  typealias Action = ScriptedInteractor.Action

  let clock = TestClock()
  let store: Store<ScriptedInteractor>
  let tree = RunTree()
  let gate = Gate()

  init() {
    store = Store(StoreConfiguration(clock: clock))
  }

  /// An action whose run stands at the gate, and says so when it has passed.
  private func makeLast() -> Action {
    .handle { [gate] run in
      try await gate.enter()
      run.emit("last")
    }
  }

  /// Sends the action by a run, which sends the next one, and so on; none waits for another.
  private static func chain(_ length: Int, to last: Action) -> Action {
    guard length > 0 else { return last }
    return .handle { run in _ = run.send(Self.chain(length - 1, to: last)) }
  }

  /// The log when the tree has ended; it is asked for at once.
  private func logAtEnd() -> Task<[String], Never> {
    Task.immediate { [tree, store] in
      await tree.waitForEnd()
      return await store.log
    }
  }

  // MARK: Waiting

  @Test("R8: A tree ends when the last action has that its runs have sent, however many runs lie between")
  func end() async throws {
    await tree.waitForEnd()
    store.send(Self.chain(3, to: makeLast()), in: tree)
    try await gate.waitForArrivals(1)
    let log = logAtEnd()
    gate.open()
    #expect(await log.value == ["last"])
    #expect(tree.openCount == 0)
  }

  @Test("R8: Actions that a run submits, or sends to its own or another store, are in its tree", arguments: 0...2)
  func ways(way: Int) async throws {
    let other = Store(StoreConfiguration(clock: clock))
    let last = makeLast()
    store.send(
      .handle { [store] run in
        switch way {
        case 0: try await run.submit(last)
        case 1: store.send(last)
        default: other.send(last)
        }
      }, in: tree)
    try await gate.waitForArrivals(1)
    let log = Task.immediate { [tree] in
      await tree.waitForEnd()
      return await store.log + other.log
    }
    gate.open()
    #expect(await log.value == ["last"])
  }

  @Test("R8: An action in no tree, and one in another tree, are not waited for")
  func others() async throws {
    let (last, inner) = (makeLast(), RunTree())
    store.send(last)
    store.send(.handle { [store] _ in store.send(last, in: inner) }, in: tree)
    try await gate.waitForArrivals(2)
    await tree.waitForEnd()
    #expect(inner.openCount == 1)
    gate.open()
    await inner.waitForEnd()
  }

  @Test("R8: 10,000 actions of which each sends the next leave nothing in their tree")
  func longChain() async {
    store.send(Self.chain(10_000, to: .commit("last")), in: tree)
    await tree.waitForEnd()
    #expect(await store.log == ["last"])
    #expect(tree.openCount == 0)
  }

  @Test("R8: An action that is rejected, refused by an interceptor or cut by its store's release leaves its tree")
  func refusals() async throws {
    let refusing = Store(
      initial: ScriptedInteractor.State(), interactor: ScriptedInteractor(),
      interceptors: [ActionInterceptor { _, _ in .reject("not today") }])
    #expect(await refusing.send(.commit("a"), in: tree).outcome.kind == .rejected)
    #expect(await store.send(.decide { _ in .reject(Mishap()) }, in: tree).outcome.kind == .rejected)
    var released: Store<ScriptedInteractor>? = Store(StoreConfiguration(clock: clock))
    let receipt = released?.send(makeLast(), in: tree)
    try await gate.waitForArrivals(1)
    released = nil
    #expect(await receipt?.outcome.kind == .shutDown)
    await tree.waitForEnd()
    gate.open()
  }

  // MARK: Cancelling

  @Test("R8: Cancelling a tree ends each action of it, running, waiting or held, and closes those that were taken up")
  func cancel() async throws {
    let (last, receipts) = (makeLast(), Recorder<Receipt>())
    let root = store.send(
      .handle { run in
        let running = run.send(last.closed(as: "running"))
        let held = run.send(last.planned(.latest(key: "held").debounce(.seconds(1))))
        receipts.record(running)
        receipts.record(held)
        // Not for the running action: its cancellation comes before or after that of this one.
        try await Gate().enter()
      }.closed(as: "root"), in: tree)
    let (running, held) = (try await receipts.next(), try await receipts.next())
    let outside = store.send(last)
    try await gate.waitForArrivals(2)
    tree.cancel()
    #expect(tree.isCancelled)
    #expect(await root.outcome.kind == .cancelled)
    #expect(await running.outcome.kind == .cancelled)
    #expect(await held.outcome.kind == .cancelled)
    #expect(await store.log.sorted() == ["root: cancelled", "running: cancelled"])
    await tree.waitForEnd()
    gate.open()
    #expect(await outside.outcome.kind == .finished)
  }

  @Test("R8: An action sent in a cancelled tree ends as cancelled, undecided, also behind a taken lock")
  func sendingAfterwards() async throws {
    tree.cancel()
    #expect(await store.send(.commit("a"), in: tree).outcome.kind == .cancelled)
    let (latch, thread) = try await store.block()
    let queued = store.send(.commit("b"), in: tree)
    latch.open()
    await thread.value
    #expect(await queued.outcome.kind == .cancelled)
    await tree.waitForEnd()
    #expect(await store.log == ["block"])
  }

  @Test("R8: A handler that ignores its cancellation sends nothing that stays in flight")
  func strayHandler() async throws {
    let (sent, last) = (Recorder<Receipt>(), makeLast())
    store.send(
      .handle { [store, gate] run in
        await gate.enterIgnoringCancellation()
        sent.record(run.send(last))
        sent.record(store.send(last))
      }, in: tree)
    try await gate.waitForArrivals(1)
    tree.cancel()
    gate.open()
    for _ in 1...2 { #expect(await (try sent.next()).outcome.kind == .cancelled) }
    await tree.waitForEnd()
  }

  @Test("R4, R8: Cancelling a tree detaches its receipt of a shared run, which continues with what it sends")
  func sharedRun() async throws {
    let shared = Action.handle { [gate] run in
      try await gate.enter()
      _ = run.send(.commit("sent"))
    }.planned(.shared(key: "k"))
    let inside = store.send(shared, in: tree)
    let outside = store.send(shared)
    try await gate.waitForArrivals(1)
    tree.cancel()
    #expect(await inside.outcome.kind == .cancelled)
    await tree.waitForEnd()
    gate.open()
    #expect(await outside.outcome.kind == .finished)
    #expect(await store.log == ["sent"])
  }
}
