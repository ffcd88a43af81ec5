import MillraceTesting
import Testing

@testable import Millrace

@Suite("Thunk", .timeLimit(.minutes(1)))
struct ThunkTests {
  typealias Access = StoreAccess<ClosureInteractor.State, ClosureInteractor.Action>

  let store = Store<ClosureInteractor>()

  @Test("A thunk sends many actions, and reads the live state between them")
  func manySends() async throws {
    let states = Notes<Int>()
    let thunk = store.send { access in
      for count in 1...3 {
        access.send(.count(count * 10))
        states.note(await access.state.count)
      }
    }
    try await thunk.value
    #expect(states.all == [10, 20, 30])
    #expect(await store.snapshot.revision == 3)
  }

  @Test("A thunk runs on the sender's thread up to its first suspension, and may send later")
  func laterSends() async throws {
    let gate = Gate()
    let thunk = store.send { access in
      access.send(.append(1))
      try await gate.enter()
      access.send(.append(2))
    }
    #expect(store.snapshotAtOnce()?.state.items == [1])
    store.send(.append(0))
    gate.open()
    try await thunk.value
    #expect(await store.state.items == [1, 0, 2])
  }

  @Test("Actions that a thunk sends pass the interceptors, and the thunk itself does not")
  func interceptors() async throws {
    let count = Box(0)
    store.setInterceptors([
      Choosing<ClosureInteractor> { _, _ in
        count.update { $0 += 1 }
        return .reject("no")
      }
    ])
    try await store.send { access in
      #expect(await access.send(.increment).outcome.kind == .rejected)
    }.value
    #expect(count.value == 1)
  }

  @Test("An error that a thunk throws is that of its task, and is reported unless it says that the thunk was cancelled")
  func error() async {
    let reported = Notes<String>()
    var configuration = StoreConfiguration()
    configuration.report = { reported.note("\($0.kind), \($0.error.map { "\($0)" } ?? ""): \($0)") }
    let store = Store(initial: ClosureInteractor.State(), interactor: ClosureInteractor(), configuration: configuration)
    await #expect(throws: Mishap()) { try await store.send { _ in throw Mishap() }.value }
    await #expect(throws: CancellationError.self) { try await store.send { _ in throw CancellationError() }.value }
    #expect(
      reported.all == [
        """
        thunkFailure, \(Mishap()): A thunk of \(String(reflecting: ClosureInteractor.self)) threw: \(Mishap()). Catch the error in the thunk, \
        and send an action that says so, if the state is to show it.
        """
      ])
  }

  @Test("A thunk of an actor runs there")
  func isolated() async throws {
    try await store.send { @MainActor access in
      MainActor.assertIsolated()
      access.send(.increment)
    }.value
    #expect(await store.state.count == 1)
  }

  // MARK: The end

  @Test("S1: a thunk is cancelled at the beginning of a drain, and what it sends then is rejected")
  func cancelledAtTheDrain() async throws {
    let (gate, kinds) = (Gate(), Recorder<Outcome.Kind>())
    store.send(.handle { _ in await gate.enterIgnoringCancellation() })
    try await gate.waitForArrivals()
    let thunk = store.send { access in
      try? await Gate().enter()
      kinds.record(await access.send(.increment).outcome.kind)
      try Task.checkCancellation()
    }
    let closing = Task { await store.shutdown(drainFor: .seconds(60)) }
    #expect(try await kinds.next() == .rejected)
    await #expect(throws: CancellationError.self) { try await thunk.value }
    gate.open()
    #expect(await closing.value.isClean)
    #expect(await store.state.count == 0)
  }

  @Test("R6: a thunk does not hold the store, and is cancelled when that is released")
  func cancelledAtTheRelease() async throws {
    var store: Store<ClosureInteractor>? = Store<ClosureInteractor>()
    weak let released = store
    let kinds = Recorder<Outcome.Kind>()
    let thunk = store?.send { access in
      try? await Gate().enter()
      kinds.record(await access.send(.increment).outcome.kind)
      var states = access.reader.states.makeAsyncIterator()
      #expect(await states.next() == nil)
    }
    store = nil
    #expect(released == nil)
    #expect(try await kinds.next() == .rejected)
    try await thunk?.value
  }

  @Test("Cancelling the task of a thunk cancels that thunk alone")
  func cancelled() async throws {
    let gate = Gate()
    let (one, other) = (store.send { _ in try await gate.enter() }, store.send { _ in try await gate.enter() })
    one.cancel()
    await #expect(throws: CancellationError.self) { try await one.value }
    gate.open()
    try await other.value
  }

  @Test("A thunk of a store that was shut down is cancelled, and has nothing to observe")
  func afterTheEnd() async throws {
    await store.shutdown()
    let thunk = store.send { access in
      #expect(await access.send(.increment).outcome.kind == .rejected)
      try await Gate().enter()
    }
    await #expect(throws: CancellationError.self) { try await thunk.value }
    #expect(await store.taskCount == 0)
  }

  @Test("S1: a thunk that shuts the store down gets the report, and is not waited for", arguments: [0, 60])
  func shutsTheStoreDown(seconds: Int) async throws {
    let reports = Recorder<ShutdownReport>()
    try await store.send { [store] access in
      access.send(.increment)
      reports.record(await store.shutdown(drainFor: .seconds(seconds)))
      try? await Gate().enter()  // The gate stays closed; the task was cancelled.
    }.value
    #expect(try await reports.next().isClean)
    #expect(await store.state.count == 1)
  }

  // MARK: Parents

  @Test("R7: an action of a thunk that a handler sent has that run as its parent; otherwise it has none")
  func parent() async throws {
    var transitions = store.transitions().makeAsyncIterator()
    let runs = Recorder<RunID?>()
    store.send(
      .handle { [store] _ in
        runs.record(RunContext.current?.run)
        try await store.send { $0.send(.increment) }.value
      })
    let run = try #require(try await runs.next())
    #expect(await transitions.next()?.cause.context.parent == run)
    store.send { $0.send(.increment) }
    let second = try #require(await transitions.next())
    #expect(second.cause.context.parent == nil)
  }

  @Test("R7: a thunk sent from inside a commit belongs to no run, whichever task does the commit")
  func noParentInsideACommit() async throws {
    var transitions = store.transitions().makeAsyncIterator()
    store.send(
      .handle { [store] run in
        run.emit { _ in store.send { $0.send(.increment) } }
      })
    #expect(await transitions.next()?.revision == 1)
    let second = try #require(await transitions.next())
    #expect(second.revision == 2)
    #expect(second.cause.context.parent == nil)
  }

  @Test("L5: a thunk that is sent from inside a commit, and what it sends, come after it")
  func insideACommit() async throws {
    let order = Notes<String>()
    let thunks = Recorder<Task<Void, any Error>>()
    store.send(
      .write { [store] _ in
        order.note("enter")
        let thunk = store.send { access in
          _ = await access.state  // Which is there after the step.
          order.note("thunk")
          access.send(.write { _ in order.note("second") })
        }
        thunks.record(thunk)
        order.note("exit")
      })
    try await thunks.next().value
    #expect(order.all == ["enter", "exit", "thunk", "second"])
  }

  @Test("L5: a chain of 100,000 thunks, each sent by the one before, keeps the stack flat")
  func chain() async throws {
    let ends = Recorder<Int>()
    Chain(last: scaled(100_000), store: store, ends: ends).go(1)
    #expect(try await ends.next() == scaled(100_000))
    #expect(await store.state.count == scaled(100_000))
  }

  /// Sends a thunk that sends an action, and the next thunk.
  private struct Chain: Sendable {
    let last: Int
    let store: Store<ClosureInteractor>
    let ends: Recorder<Int>

    func go(_ number: Int) {
      store.send { access in
        access.send(.increment)
        if number == last { ends.record(number) } else { go(number + 1) }
      }
    }
  }

  // MARK: Pruning

  @Test("R5: a thunk that has returned is kept no longer, after 10,000 of them too")
  func pruned() async throws {
    let stays = store.send { _ in try await Gate().enter() }
    for _ in 0..<scaled(10_000) { try await store.send { $0.send(.increment) }.value }
    #expect(await store.taskCount == 1)
    stays.cancel()
    _ = await stays.result
    #expect(await store.taskCount == 0)
    #expect(await store.state.count == scaled(10_000))
  }
}
