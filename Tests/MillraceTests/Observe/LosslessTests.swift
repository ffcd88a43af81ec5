import MillraceTesting
import Testing

@testable import Millrace

/// Observers that hold the store up rather than miss a state.
@Suite("Lossless", .timeLimit(.minutes(1)))
struct LosslessTests {
  let store = Store<ClosureInteractor>()

  @Test("O3: bound commits behind, send is rejected as full, until the observer has caught up")
  func holdsUp() async throws {
    var iterator = store.snapshots(.lossless(pausesAt: 3, endsAt: 10)).makeAsyncIterator()
    for number in 1...3 { #expect(await store.send(.count(number)).outcome.isFinished) }
    #expect(await store.send(.count(4)).outcome.kind == .rejected)
    #expect(try await iterator.next()?.revision == 0)
    #expect(await store.send(.count(4)).outcome.kind == .rejected)
    #expect(try await iterator.next()?.revision == 1)
    #expect(await store.send(.count(5)).outcome.isFinished)
    #expect(await store.send(.count(6)).outcome.kind == .rejected)
    for revision in 2...4 { #expect(try await iterator.next()?.revision == revision) }
    #expect(await store.state.count == 5)
  }

  @Test("O3: bound commits behind, submit suspends, and continues when the observer has caught up")
  func submitSuspends() async throws {
    let seen = Recorder<Int>()
    let gate = Gate()
    let observer = Task { [states = store.snapshots(.lossless(pausesAt: 2, endsAt: 10))] in
      for try await snapshot in states {
        seen.record(snapshot.revision)
        try await gate.enter()
      }
    }
    #expect(try await seen.next() == 0)
    store.send(.counts(1, 2))
    let submitting = Task.immediate { [store] in try await store.submit(.count(3)) }
    #expect(await store.metrics.submitting == 1)
    #expect(await store.state.count == 2)
    gate.open()
    #expect(try await submitting.value.lastRevision == 3)
    for revision in 1...3 { #expect(try await seen.next() == revision) }
    observer.cancel()
    try? await observer.value
  }

  @Test("O3: a run in flight continues committing past the bound; past the limit the observer ends as lagged")
  func runsGoOn() async throws {
    var iterator = store.snapshots(.lossless(pausesAt: 2, endsAt: 5)).makeAsyncIterator()
    let receipt = store.send(.handle { run in for number in 1...5 { run.emit { $0.count = number } } })
    #expect(await receipt.outcome.isFinished)
    for revision in 0...5 { #expect(try await iterator.next()?.revision == revision) }
    var lagging = store.snapshots(.lossless(pausesAt: 2, endsAt: 5)).makeAsyncIterator()
    #expect(await store.send(.handle { run in for _ in 1...6 { run.emit { $0.count += 1 } } }).outcome.isFinished)
    #expect(try await lagging.next()?.revision == 5)
    let error = await #expect(throws: StoreError.self) { try await lagging.next() }
    #expect(error?.code == .lagged)
    #expect(error?.description.contains(" 6 commits behind") == true)
    #expect(error?.description.contains("give it a higher limit") == true)
    // The other one has lagged as well; neither holds the store up now.
    #expect(await store.send(.count(0)).outcome.isFinished)
  }

  @Test("A lossless observer that is dropped holds the store up no longer")
  func dropped() async throws {
    var iterator: StoreSequence<Snapshot<ClosureInteractor.State>, StoreError>.Iterator? =
      store.snapshots(.lossless(pausesAt: 1, endsAt: 5)).makeAsyncIterator()
    #expect(try await iterator?.next()?.revision == 0)
    store.send(.count(1))
    let submitting = Task.immediate { [store] in try await store.submit(.count(2)) }
    #expect(await store.send(.count(3)).outcome.kind == .rejected)
    iterator = nil
    #expect(try await submitting.value.lastRevision == 2)
    #expect(await store.send(.count(4)).outcome.isFinished)
  }

  @Test("Inside a run of the store, submit does not wait for an observer but is rejected as send is")
  func submitInsideARun() async throws {
    let iterator = store.snapshots(.lossless(pausesAt: 1, endsAt: 5)).makeAsyncIterator()
    let outcomes = Recorder<Outcome.Kind>()
    store.send(
      .handle { [store] run in
        run.emit { $0.count = 1 }
        outcomes.record(try await store.submit(.count(2)).outcome.kind)
      })
    #expect(try await outcomes.next() == .rejected)
    withExtendedLifetime(iterator) {}
  }

  @Test("A store that is held up shuts down, and cancels, as any other")
  func shutsDown() async throws {
    var iterator = store.snapshots(.lossless(pausesAt: 1, endsAt: 5)).makeAsyncIterator()
    let gate = Gate()
    let running = store.send(.handle { run in try await gate.enter() })
    try await gate.waitForArrivals()
    store.send(.count(1))
    let submitting = Task.immediate { [store] in try await store.submit(.count(2)) }
    running.cancel()
    #expect(await running.outcome.kind == .cancelled)
    await store.shutdown()
    await #expect(throws: StoreError.self) { try await submitting.value }
    guard case .rejected(.shuttingDown) = await store.send(.count(3)).outcome else {
      Issue.record("A store that was shut down says so, held up or not.")
      return
    }
    #expect(try await iterator.next()?.revision == 0)
    #expect(try await iterator.next()?.revision == 1)
    #expect(try await iterator.next() == nil)
  }

  @Test("O3: eight tasks submit, and a lossless observer misses nothing and is never further behind than its bound")
  func stress() async throws {
    let (senders, each, bound) = (8, 100, 4)
    let observer = Task { [store, states = store.snapshots(.lossless(pausesAt: bound, endsAt: 100))] in
      var revisions: [Int] = []
      for try await snapshot in states {
        revisions.append(snapshot.revision)
        let lag = await store.snapshot.revision - snapshot.revision
        #expect(lag <= bound)
        if snapshot.revision == senders * each { break }
      }
      return revisions
    }
    try await withThrowingTaskGroup { group in
      for _ in 0..<senders {
        group.addTask { [store] in
          for _ in 0..<each { try await store.submit(.increment) }
        }
      }
      try await group.waitForAll()
    }
    let revisions = try await observer.value
    let first = try #require(revisions.first)  // It may have begun when some were submitted.
    #expect(revisions == Array(first...(senders * each)))
  }
}
