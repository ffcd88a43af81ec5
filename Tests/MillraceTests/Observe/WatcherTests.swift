import MillraceTesting
import Testing

@testable import Millrace

/// `wait(until:timeout:)`.
@Suite("Watcher", .timeLimit(.minutes(1)))
struct WatcherTests {
  let store = Store<ClosureInteractor>()

  @Test("A wait judges the current state first, and returns at once if that satisfies it")
  func theCurrentStateIsJudged() async throws {
    store.send(.count(3))
    #expect(try await store.wait(until: { $0.count == 3 }).count == 3)
    #expect(store.onRegistry { $0 == nil } == true)
  }

  @Test("A wait returns the first state that satisfies it")
  func theFirstStateIsReturned() async throws {
    let waiting = Task.immediate { [store] in try await store.wait(until: { $0.count >= 2 }) }
    for count in 1...5 { store.send(.count(count)) }
    #expect(try await waiting.value.count == 2)
    #expect(store.onRegistry { $0?.needs.contains(.watchers) } == false)
  }

  @Test("A state that stands only within one step is not missed")
  func aTransientStateIsNotMissed() async throws {
    let waiting = Task.immediate { [store] in try await store.wait(until: { $0.count == 2 }) }
    store.send(.counts(1, 2, 3))
    #expect(try await waiting.value.count == 2)
    #expect(await store.state.count == 3)
    let batch = Task.immediate { [store] in try await store.wait(until: { $0.count == 5 }) }
    store.send(contentsOf: [.count(4), .count(5), .count(6)])
    #expect(try await batch.value.count == 5)
  }

  @Test("L4: a waiting observer is notified when the state is set and the step is over, never inside it")
  func whoWaitsIsToldAfterTheStep() {
    let executor = StepExecutor()
    let found = Notes<Int>()
    Task(executorPreference: executor) { [store] in
      found.note(try await store.wait(until: { $0.count == 1 }).count)
    }
    executor.run()
    let inside = Notes<Int>()
    store.send(.writeAll([{ $0.count = 1 }, { _ in inside.note(executor.ready) }]))
    #expect(inside.all == [0])
    #expect(executor.ready == 1)
    executor.run()
    #expect(found.all == [1])
  }

  @Test("L5: a predicate may send to its store; the action is taken up after the step that it judges")
  func aPredicateMaySend() async throws {
    let notes = Notes<String>()
    let waiting = Task.immediate { [store] in
      try await store.wait { state in
        if state.count == 1 {
          store.send(
            .write {
              notes.note("sent by the predicate")
              $0.other = 1
            })
        }
        return state.other == 1
      }
    }
    store.send(.writeAll([{ $0.count = 1 }, { $0.count = 0 }, { _ in notes.note("the step goes on") }]))
    #expect(try await waiting.value.other == 1)
    #expect(notes.all == ["the step goes on", "sent by the predicate"])
  }

  @Test("When time is up on the store's clock the wait throws an error that says so, and judges no more")
  func timeIsUp() async throws {
    let clock = TestClock()
    let store = Store<ClosureInteractor>(clock: clock)
    let judged = Notes<Int>()
    let waiting = Task.immediate {
      try await store.wait(
        until: { state in
          judged.note(state.count)
          return false
        }, timeout: .seconds(5))
    }
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(4))
    store.send(.count(1))
    clock.advance(by: .seconds(1))
    let error = await #expect(throws: StoreError.self) { try await waiting.value }
    #expect(error?.code == .timedOut)
    #expect(
      error?.description
        == "No state satisfied the predicate in time; send what leads to such a state, or wait with a longer timeout.")
    store.send(.count(2))
    #expect(judged.all == [0, 1])
    #expect(store.onRegistry { $0?.needs.contains(.watchers) } == false)
  }

  @Test("A wait whose time is up while another thread has the lock judges the state of its turn first")
  func theTimeoutWaitsForTheJudgement() async throws {
    for _ in 0..<50 {
      let clock = TestClock()
      let store = Store(StoreConfiguration(clock: clock))
      let (latch, thread) = try await store.block()
      let waiting = Task.immediate { try await store.wait(until: { $0.log == ["block"] }, timeout: .seconds(1)) }
      try await clock.waitForSleepers(1)
      clock.advance(by: .seconds(1))
      latch.open()
      #expect(try await waiting.value.log == ["block"])
      await thread.value
    }
  }

  @Test("A wait that is satisfied in time leaves no sleeper behind")
  func theTimeoutIsCancelled() async throws {
    let clock = TestClock()
    let store = Store<ClosureInteractor>(clock: clock)
    let waiting = Task.immediate { try await store.wait(until: { $0.count == 1 }, timeout: .seconds(5)) }
    try await clock.waitForSleepers(1)
    store.send(.count(1))
    #expect(try await waiting.value.count == 1)
    #expect(clock.sleepers == 0)
  }

  @Test("When its task is cancelled a wait throws CancellationError, before or while it waits, and judges no more")
  func cancellation() async throws {
    let waiting = Task.immediate { [store] in try await store.wait(until: { _ in false }) }
    #expect(store.onRegistry { $0?.needs.contains(.watchers) } == true)
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(store.onRegistry { $0?.needs.contains(.watchers) } == false)
    let cancelled = Task { [store] in
      withUnsafeCurrentTask { $0?.cancel() }
      try await store.wait(until: { _ in false })
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(store.onRegistry { $0?.needs.contains(.watchers) } == false)
  }

  @Test("At shutdown a wait throws an error that says so; later the last state is judged and no other waited for")
  func shutdown() async throws {
    let waiting = Task.immediate { [store] in try await store.wait(until: { $0.count == 1 }) }
    await store.shutdown()
    let error = await #expect(throws: StoreError.self) { try await waiting.value }
    #expect(error?.code == .shutDown)
    #expect(
      error?.description
        == "The store was shut down before a state satisfied the predicate; wait before shutting it down.")
    #expect(try await store.wait(until: { $0.count == 0 }).count == 0)
    #expect(
      await #expect(throws: StoreError.self) { try await store.wait(until: { $0.count == 1 }) }?.code == .shutDown)
  }

  @Test("R6: a suspended wait holds the store, and lets it go when it ends")
  func aWaitHoldsTheStore() async throws {
    var store: Store<ClosureInteractor>? = Store<ClosureInteractor>()
    weak let weakStore = store
    let gate = Gate()
    let waiting = Task.immediate { [store] in try await store?.wait(until: { $0.count == 1 }).count }
    let receipt = try #require(
      store?.send(
        .handle { run in
          try await gate.enter()
          run.emit { $0.count = 1 }
        }))
    store = nil
    try await gate.waitForArrivals(1)
    #expect(weakStore != nil)
    gate.open()
    #expect(try await waiting.value == 1)
    #expect(weakStore == nil)
    // The handler returns before the store is released, or after.
    #expect([.finished, .shutDown].contains(await receipt.outcome.kind))
  }

  @Test("Waits of many tasks are each satisfied by their own state, while eight tasks send")
  func manyWaits() async throws {
    let (senders, each) = (8, 100)
    let waits = (1...senders * each).map { count in
      Task { [store] in try await store.wait(until: { $0.count >= count }).count }
    }
    await withTaskGroup { group in
      for _ in 0..<senders {
        group.addTask { [store] in
          for _ in 0..<each { store.send(.increment) }
        }
      }
    }
    for (index, wait) in waits.enumerated() { #expect(try await wait.value >= index + 1) }
    #expect(store.onRegistry { $0?.needs.contains(.watchers) ?? false } == false)
  }
}
