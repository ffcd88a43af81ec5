import MillraceTesting
import Testing

@testable import Millrace

@Suite("Durable states", .timeLimit(.minutes(1)))
struct DurableStatesTests {
  /// An element, and the newest durable revision when the observer got it.
  private struct Seen<Element: Sendable>: Sendable {
    let element: Element
    let durable: Int
  }

  private let journal = ScriptedJournal<Ledger.Action, [Int]>()

  private func store() -> Store<Ledger> {
    let store = Store.restored(
      [], revision: 0, interactor: Ledger { _, _ in }, configuration: StoreConfiguration(), journal: journal,
      gate: journal.gate)
    journal.attach(to: store.journaled)
    return store
  }

  /// Records what an observer gets; it has begun when this returns.
  private func observe<Source: AsyncSequence & Sendable>(
    _ source: Source
  ) -> (seen: Recorder<Seen<Source.Element>>, task: Task<Void, any Error>) where Source.Element: Sendable {
    let seen = Recorder<Seen<Source.Element>>()
    let task = Task.immediate { [gate = journal.gate] in
      for try await element in source { seen.record(Seen(element: element, durable: gate.durableRevision)) }
    }
    return (seen, task)
  }

  // MARK: Policies

  @Test("D6: a durable observer of the newest state gets it when it is durable, and skips the states between")
  func newest() async throws {
    let store = store()
    store.send(.add([1]))
    let (seen, _) = observe(store.snapshots(.durable))
    for number in 2...3 { store.send(.add([number])) }
    #expect(seen.recorded.isEmpty)
    for (stored, snapshot) in [
      (1, Snapshot(revision: 1, state: [1])), (2, Snapshot(revision: 3, state: [1, 2, 3], missed: 1)),
    ] {
      journal.store(stored)
      let next = try await seen.next()
      #expect(next.element == snapshot && next.durable == snapshot.revision)
    }
  }

  @Test(
    "D6: a durable observer of every state gets each in order once it is durable, from its first one on",
    arguments: [
      ObservationPolicy<StoreError>(.every()).durable, ObservationPolicy(.every().durable),
      .every(endsAt: 100).durable, .lossless().durable,
    ])
  func every(policy: ObservationPolicy<StoreError>) async throws {
    let store = store()
    store.send(.add([1]))
    let (seen, _) = observe(store.snapshots(policy))
    for numbers in [[2], [3, 4], [5]] { store.send(.add(numbers)) }
    var all: [Seen<Snapshot<[Int]>>] = []
    for count in [1, 1, 2, 1] {
      journal.store(1)
      all += try await seen.next(count)
    }
    #expect(all.map(\.element) == (1...5).map { Snapshot(revision: $0, state: Array(1...$0)) })
    #expect(all.map(\.durable) == [1, 2, 4, 4, 5])
  }

  @Test("O3: an observer that waits for the journal is behind, so that it skips more states than its buffer holds")
  func gap() async throws {
    let store = store()
    let (seen, _) = observe(store.snapshots(.every(buffer: 1).durable))
    store.send(.add([1, 2, 3]))
    journal.store(1)
    #expect(try await seen.next(2).map(\.element.missed) == [0, 2])
  }

  @Test("O3: the store pauses while a lossless observer waits for the journal, and nothing is skipped")
  func lossless() async throws {
    let store = store()
    let (seen, _) = observe(store.snapshots(.lossless(pausesAt: 2).durable))
    store.send(.add([1, 2, 3]))
    #expect(await store.send(.add([4])).outcome.rejectionKind == .full, "the observer has taken the first one at most")
    let submit = Task.immediate { try await store.submit(.add([5])) }
    #expect(await store.metrics.submitting == 1)
    journal.store(1)
    _ = try await submit.value
    try await journal.waitForEntries(2)
    journal.store(1)
    #expect(try await seen.next(5).map(\.element.state.count) == [0, 1, 2, 3, 4])
  }

  @Test("D6: values, parts and transitions of a durable policy are held back as states are")
  func others() async throws {
    let store = store()
    let (transitions, _) = observe(store.transitions(.every().durable, includesBefore: true))
    store.send(.add([1]))
    let (counts, _) = observe(store.values(of: \.count, policy: .durable))
    let (parts, _) = observe(store.reader.scope(\.count).snapshots(.every().durable))
    let (last, _) = observe(store.reader.values(of: { $0.last }, policy: .durable))
    #expect(counts.recorded.isEmpty && parts.recorded.isEmpty && last.recorded.isEmpty)
    journal.store(1)
    let (count, part, number) = (try await counts.next(), try await parts.next(), try await last.next())
    let transition = try await transitions.next()
    #expect(count.element == 1 && part.element.state == 1 && number.element == 1)
    #expect(transition.element.mutation == 1 && transition.element.before == [])
    #expect([count.durable, part.durable, number.durable, transition.durable] == [1, 1, 1, 1])
  }

  @Test("A durable policy is the plain one in a store without a journal")
  func withoutJournal() async throws {
    let store = Store(initial: [], interactor: Ledger { _, _ in })
    let (newest, _) = observe(store.snapshots(.durable))
    let (every, _) = observe(store.snapshots(.every().durable))
    #expect(newest.recorded.count == 1 && every.recorded.count == 1, "the first state is there at once")
    store.send(.add([1]))
    #expect(try await newest.next(2).last?.element.revision == 1)
    #expect(try await every.next(2).last?.element.revision == 1)
    #expect(ObservationPolicy.durable == .latest.durable && ObservationPolicy.durable != .latest)
  }

  // MARK: Costs

  @Test("O7: while a durable observer waits for the journal, the store copies its state once and not with each commit")
  func copies() async throws {
    let journal = ScriptedJournal<Int, CountedCopies>()
    let store = Store.restored(
      CountedCopies(), revision: 0, interactor: Copied(), configuration: StoreConfiguration(), journal: journal,
      gate: journal.gate)
    store.send(0)
    let observer = Task.immediate { [states = store.snapshots(.durable)] in
      for await _ in states {}
    }
    for number in 1...100 { store.send(number) }
    #expect(await store.state.copies == 1)
    observer.cancel()
    await observer.value
  }

  // MARK: Cancellation

  @Test("A durable observer whose wait is cancelled ends, and its iterator continues with the state that waited")
  func cancelled() async throws {
    let store = store()
    store.send(.add([1]))
    nonisolated(unsafe) var iterator = store.snapshots(.every().durable).makeAsyncIterator()
    let wait = Task.immediate { await iterator.next() }
    wait.cancel()
    #expect(await wait.value == nil)
    store.send(.add([2]))
    journal.store(2)
    #expect(await iterator.next()?.revision == 1)
    #expect(await iterator.next()?.revision == 2)
  }

  @Test("R5: the journal keeps nothing of an observer whose wait was cancelled")
  func pruned() async {
    weak var kept: DurabilityObserver?
    do {
      let observer = DurabilityObserver()
      kept = observer
      let wait = Task.immediate { [gate = journal.gate] in await gate.holdBack(observer, until: 1) }
      wait.cancel()
      #expect(await wait.value == false)
    }
    #expect(kept == nil)
  }

  // MARK: The end

  @Test("S1: at a shutdown durable observers get each state up to the last one when the journal has it, and end")
  func shutdown() async throws {
    let store = store()
    let (seen, task) = observe(store.snapshots(.every().durable))
    store.send(.add([1]))
    store.send(.load(2))
    let shutdown = Task.immediate { await store.shutdown() }
    #expect(journal.entries.count == 3)
    journal.store(3)
    _ = await shutdown.value
    try await task.value
    #expect(seen.recorded.map(\.element.state) == [[], [1], [1, 2], [1, 2, -2]])
  }

  @Test("R6: after the release of its store a durable observer gets what the journal still stores, and ends")
  func released() async throws {
    var store: Store<Ledger>? = store()
    let states = try #require(store).snapshots(.durable)
    store?.send(.add([1]))
    let (seen, task) = observe(states)
    store = nil
    #expect(seen.recorded.isEmpty)
    journal.store(1)
    try await task.value
    #expect(seen.recorded.map(\.element.revision) == [1])
  }

  @Test(
    "D6: states that do not become durable before the journal fails are not delivered",
    arguments: [ObservationPolicy.durable, .every().durable])
  func failed(policy: ObservationPolicy<Never>) async throws {
    let store = store()
    let (seen, task) = observe(store.snapshots(policy))
    store.send(.add([1]))
    journal.store(1)
    _ = try await seen.next(2)
    for number in 2...3 { store.send(.add([number])) }
    journal.fail()
    try await task.value
    #expect(seen.recorded.map(\.element.revision) == [0, 1])
  }
}

/// Appends numbers to a list that counts its copies.
private struct Copied: Interactor {
  func decide(_ action: Int, state: CountedCopies) -> Decision<Int> { .mutate(action) }

  static func reduce(into state: inout CountedCopies, mutation: Int) { state.append(mutation) }
}
