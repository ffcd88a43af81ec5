import MillraceTesting
import Testing

@testable import Millrace

/// A journal that is behind, or fails.
extension StoreJournalTests {
  @Test("D6: a store takes no more actions while its journal is crowded, and more once it is relieved")
  func crowded() async {
    let store = store()
    store.send(.add([1]))
    journal.setCrowded(true)
    store.send(.add([2]))
    #expect(await store.send(.add([3])).outcome.rejectionKind == .full)
    journal.setCrowded(false)
    store.send(.add([4]))
    #expect(await store.state == [1, 2, 4])
  }

  @Test("D6: when the journal fails the store stops, and whatever is open or waits for the journal fails, unclosed")
  func failed() async throws {
    let gate = Gate()
    let store = store { _, _ in try await gate.enter() }
    let (running, waiting) = (store.send(.load(4)), store.send(.addSerially([5])))
    journal.store(1)
    try await gate.waitForArrivals(1)
    let held = store.send(.add([6]))
    let states = Task.immediate { for await _ in store.states {} }
    journal.fail()
    for receipt in [running, waiting, held] { #expect(await receipt.outcome.kind == .failed) }
    #expect(await store.send(.add([7])).outcome.rejectionKind == .journal)
    #expect(await store.state == [4, 5, 6])
    await states.value
    let report = await store.shutdown()
    #expect(report.failure is ScriptedFailure && !report.isClean)
    #expect(report.drained == 0 && report.cancelled == [running.id] && report.notReturned == [running.id])
    #expect(
      report.description.hasSuffix(
        "1 (\(running.id)) not returned, 2 not durable; the journal failed: ScriptedFailure()"))
    #expect(journal.entries.count == 3 && report.notDurable == 2)
  }

  @Test(
    "D6: when the journal fails observers that can fail end with its error, after what was committed before",
    arguments: [
      ObservationPolicy<StoreError>(.latest), .init(.every()), .every(endsAt: 10), .lossless(), .init(.durable),
      .lossless().durable,
    ])
  func observersEnd(policy: ObservationPolicy<StoreError>) async throws {
    let store = store()
    let (states, counts, first) = (Recorder<Snapshot<[Int]>>(), Recorder<Int>(), Recorder<Int?>())
    let observers = [
      states.record(from: store.snapshots(policy)), counts.record(from: store.values(of: \.count, policy: policy)),
      first.record(from: store.reader.scope { $0.first }.values(of: { $0 }, policy: policy)),
      Task.immediate { for try await _ in store.transitions(policy) {} },
    ]
    store.send(.add([1]))
    journal.store(1)
    #expect(try await states.next(2).map(\.state) == [[], [1]])
    #expect(try await counts.next(2) == [0, 1])
    #expect(try await first.next(2) == [nil, 1])
    journal.fail()
    for observer in observers {
      let error = await #expect(throws: StoreError.self) { try await observer.value }
      #expect(error?.code == .journal && error?.underlying is ScriptedFailure)
      #expect(
        error?.description.hasSuffix("because its journal failed; open it again to continue. ScriptedFailure()") == true
      )
    }
    let late = await #expect(throws: StoreError.self) {
      for try await _ in store.snapshots(.every(endsAt: 10)) {}
    }
    #expect(late?.code == .journal)
  }

  @Test("D6: an observer that reads on after its failed store was released ends with the journal's error")
  func releasedAfterFailure() async throws {
    var store: Store<Ledger>? = store()
    var (newest, every) = try {
      let store = try #require(store)
      return (
        store.snapshots(ObservationPolicy<StoreError>(.latest)).makeAsyncIterator(),
        store.snapshots(.every(endsAt: 10)).makeAsyncIterator()
      )
    }()
    store?.send(.add([1]))
    journal.fail()
    store = nil
    #expect(try await every.next()?.revision == 0)
    #expect(try await every.next()?.revision == 1)
    await #expect(throws: StoreError.self) { try await every.next() }
    await #expect(throws: StoreError.self) { try await newest.next() }
  }

  @Test("D6: when the journal fails waits and suspended submits throw its error, and run returns")
  func waitsEnd() async throws {
    let store = store()
    store.send(.add([1]))
    journal.setCrowded(true)
    store.send(.add([2]))
    let calls = [
      Task.immediate { _ = try await store.submit(.add([3])) },
      Task.immediate { _ = try await store.wait { $0.count > 2 } },
    ]
    let run = Task.immediate { await store.run() }
    #expect(await store.metrics.submitting == 1)
    journal.fail()
    let late = [Task { _ = try await store.submit(.add([3])) }, Task { _ = try await store.wait { $0.count > 2 } }]
    for call in calls + late {
      let error = await #expect(throws: StoreError.self) { try await call.value }
      #expect(error?.code == .journal && error?.underlying is ScriptedFailure)
    }
    await run.value
    #expect(await store.shutdown().failure is ScriptedFailure)
  }
}
