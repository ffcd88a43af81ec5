import MillraceTesting
import Testing

@testable import Millrace

/// Observers that replay each commit.
@Suite("Every state", .timeLimit(.minutes(1)))
struct EveryStateTests {
  let store = Store<ClosureInteractor>()

  private func counts(
    _ iterator: inout StoreSequence<Snapshot<ClosureInteractor.State>, some Error>.Iterator, _ number: Int
  ) async throws -> [Int] {
    var counts: [Int] = []
    for _ in 0..<number { counts.append(try #require(try await iterator.next()).state.count) }
    return counts
  }

  private var logLength: Int {
    store.onRegistry { registry in
      var (length, chunk) = (0, registry?.log?.cursors.elements.compactMap(\.position).first?.chunk)
      while let here = chunk {
        length += here.entries.count
        chunk = here.next
      }
      return length
    } ?? 0
  }

  @Test("O2, O3: an observer of every state gets the current one, then each in order, also of those committed at once")
  func eachInOrder() async throws {
    store.send(.count(5))
    var iterator = store.snapshots(.every()).makeAsyncIterator()
    #expect(await iterator.next() == Snapshot(revision: 1, state: ClosureInteractor.State(count: 5)))
    store.send(.counts(6, 7, 8))
    store.send(.count(9))
    #expect(try await counts(&iterator, 4) == [6, 7, 8, 9])
    store.send(.count(10))
    #expect(await iterator.next() == Snapshot(revision: 6, state: ClosureInteractor.State(count: 10)))
  }

  @Test("O3: commits between the making of the iterator and its first element are not lost")
  func beginsWhenMade() async throws {
    var iterator = store.snapshots(.every()).makeAsyncIterator()
    store.send(.counts(1, 2))
    #expect(try await counts(&iterator, 3) == [0, 1, 2])
  }

  @Test(
    "O3: an observer further behind than its buffer continues from the newest state, with the number of missed states")
  func reportsGap() async throws {
    var iterator = store.snapshots(.every(buffer: 3)).makeAsyncIterator()
    #expect(await iterator.next()?.revision == 0)
    for number in 1...3 { store.send(.count(number)) }
    #expect(try await counts(&iterator, 3) == [1, 2, 3])
    for number in 4...7 { store.send(.count(number)) }
    #expect(await iterator.next() == Snapshot(revision: 7, state: ClosureInteractor.State(count: 7), missed: 3))
    store.send(.count(8))
    #expect(await iterator.next() == Snapshot(revision: 8, state: ClosureInteractor.State(count: 8)))
  }

  @Test("O3: commits that an observer has taken and not delivered count as behind")
  func takenIsBehind() async throws {
    var iterator = store.snapshots(.every(buffer: 4)).makeAsyncIterator()
    for number in 1...4 { store.send(.count(number)) }
    // Takes all four and delivers two of them, counting the first state.
    #expect(try await counts(&iterator, 2) == [0, 1])
    store.send(.count(5))
    store.send(.count(6))
    // Three were taken before; those that followed went with the gap.
    #expect(try await counts(&iterator, 3) == [2, 3, 4])
    #expect(await iterator.next() == Snapshot(revision: 6, state: ClosureInteractor.State(count: 6), missed: 1))
  }

  @Test("O3: an observer that disconnects on overflow gets what it took, then an error that says the fix")
  func disconnects() async throws {
    var iterator = store.snapshots(.every(endsAt: 2)).makeAsyncIterator()
    #expect(try await iterator.next()?.revision == 0)
    store.send(.counts(1, 2))
    #expect(try await counts(&iterator, 1) == [1])
    store.send(.counts(3, 4, 5))
    #expect(try await counts(&iterator, 1) == [2])
    let error = await #expect(throws: StoreError.self) { try await iterator.next() }
    #expect(error?.code == .lagged)
    #expect(
      error?.description
        == "The observer was 3 commits behind, further than its buffer; take elements faster, give it a "
        + "larger buffer, or let it report gaps.")
    await #expect(throws: StoreError.self) { try await iterator.next() }
  }

  @Test("O1: two observers of every state each get all, and one that begins later starts from the current state")
  func observersAreApart() async throws {
    var first = store.snapshots(.every()).makeAsyncIterator()
    store.send(.count(1))
    var second = store.snapshots(.every()).makeAsyncIterator()
    store.send(.count(2))
    #expect(try await counts(&second, 2) == [1, 2])
    #expect(try await counts(&first, 3) == [0, 1, 2])
  }

  @Test("O3: the log is as long as the slowest observer is behind, by chunks, and absent without one")
  func logIsTrimmed() async throws {
    #expect(store.onRegistry { $0?.log == nil } == true)
    var slow: StoreSequence<Snapshot<ClosureInteractor.State>, Never>.Iterator? = store.snapshots(
      .every(buffer: 10_000)
    )
    .makeAsyncIterator()
    var fast: StoreSequence<Snapshot<ClosureInteractor.State>, Never>.Iterator? = store.snapshots(
      .every(buffer: 10_000)
    )
    .makeAsyncIterator()
    for number in 1...1_000 { store.send(.count(number)) }
    while let snapshot = await fast?.next(), snapshot.revision < 1_000 {}
    let before = logLength
    #expect(before == 1_000)
    while let snapshot = await slow?.next(), snapshot.revision < 1_000 {}
    let after = logLength
    #expect(after <= LogChunk<ClosureInteractor>.capacity)
    fast = nil
    #expect(store.onRegistry { $0?.log != nil } == true)
    slow = nil
    #expect(store.onRegistry { $0?.log == nil } == true)
  }

  @Test("O3: a single observer leaves nothing in the log that it has read")
  func aSingleObserverKeepsNothing() async throws {
    var iterator = store.snapshots(.every()).makeAsyncIterator()
    for number in 1...10 {
      store.send(.count(number))
      while let snapshot = await iterator.next(), snapshot.revision < number {}
      let length = logLength
      #expect(length == 0)
    }
  }

  @Test("O6: after shutdown what was committed is delivered, a gap included, then the sequence ends")
  func endsAfterTheLast() async throws {
    var all = store.snapshots(.every()).makeAsyncIterator()
    var gapped = store.snapshots(.every(buffer: 1)).makeAsyncIterator()
    store.send(.counts(1, 2, 3))
    await store.shutdown()
    #expect(try await counts(&all, 4) == [0, 1, 2, 3])
    #expect(await all.next() == nil)
    #expect(await gapped.next()?.revision == 0)
    #expect(await gapped.next() == Snapshot(revision: 3, state: ClosureInteractor.State(count: 3), missed: 2))
    #expect(await gapped.next() == nil)
  }

  @Test("R6: an observer does not hold the store; released, it still gets what was committed, then the end")
  func releasedStore() async throws {
    var store: Store<ClosureInteractor>? = Store<ClosureInteractor>()
    weak let weakStore = store
    var iterator = try #require(store?.snapshots(.every()).makeAsyncIterator())
    var late = try #require(store?.snapshots(.every())).makeAsyncIterator()
    #expect(await iterator.next()?.revision == 0)
    for number in 1...100 { store?.send(.count(number)) }
    store = nil
    #expect(weakStore == nil)
    #expect(try await counts(&iterator, 100) == Array(1...100))
    #expect(await iterator.next() == nil)
    #expect(try await counts(&late, 101) == Array(0...100))
    #expect(await late.next() == nil)
    var none = Store<ClosureInteractor>().snapshots(.every()).makeAsyncIterator()
    #expect(await none.next() == nil)
  }

  @Test("An observer that waits is woken by a commit, and ended by cancellation, release and shutdown")
  func waits() async throws {
    let seen = Recorder<Int>()
    let waiting = Task { [states = store.snapshots(.every())] in
      for try await snapshot in states { seen.record(snapshot.revision) }
    }
    #expect(try await seen.next() == 0)
    store.send(.count(1))
    #expect(try await seen.next() == 1)
    waiting.cancel()
    try await waiting.value
    #expect(store.onRegistry { $0?.log == nil } == true)
    let ended = Task { [states = store.snapshots(.every())] in
      for try await snapshot in states { seen.record(snapshot.revision) }
    }
    #expect(try await seen.next() == 1)
    await store.shutdown()
    try await ended.value
  }

  @Test("An observer that is made inside a commit begins right after that step")
  func madeInside() async throws {
    nonisolated(unsafe) var made: StoreSequence<Snapshot<ClosureInteractor.State>, Never>.Iterator?
    store.send(
      .writeAll([
        { [store] state in
          state.count = 1
          made = store.snapshots(.every()).makeAsyncIterator()
        }, { $0.count = 2 },
      ]))
    store.send(.count(3))
    var iterator = try #require(made)
    #expect(try await counts(&iterator, 2) == [2, 3])
  }

  @Test("O7: an observer of every state copies the state when it begins, and no more")
  func copiesOnce() async throws {
    let places = Notes<UInt>()
    func place() -> ClosureInteractor.Action {
      .write { state in
        state.items[0] += 1
        state.items.withUnsafeBufferPointer { places.note(UInt(bitPattern: $0.baseAddress)) }
      }
    }
    let store = Store<ClosureInteractor>(items: Array(0..<1_000))
    store.send(place())
    var iterator = store.snapshots(.every()).makeAsyncIterator()
    #expect(await iterator.next()?.state.items.count == 1_000)
    for _ in 1...5 {
      store.send(place())
      _ = await iterator.next()
    }
    // The store made a copy for the state that the observer began with, and each has worked on its own since.
    #expect(Set(places.all).count == 2)
  }

  @Test("O1, O3: eight tasks send, three observers replay each commit and end with the store's own state")
  func stress() async throws {
    let (senders, each) = (8, 500)
    let observers = (0..<3).map { _ in
      Task { [states = store.snapshots(.every(buffer: 100_000))] in
        var revisions: [Int] = []
        for try await snapshot in states {
          #expect(snapshot.state.items.count == snapshot.revision)
          revisions.append(snapshot.revision)
          if snapshot.revision == senders * each { return (revisions, snapshot.state) }
        }
        return (revisions, ClosureInteractor.State())
      }
    }
    await withTaskGroup { group in
      for sender in 0..<senders {
        group.addTask { [store] in
          for number in 0..<each { store.send(.write { $0.items.append(sender * each + number) }) }
        }
      }
    }
    let last = await store.state
    for observer in observers {
      let (revisions, state) = try await observer.value
      let first = try #require(revisions.first)
      #expect(revisions == Array(first...(senders * each)))
      #expect(state == last)
    }
  }

  @Test("The metrics count observers of every state, and how far the slowest is behind")
  func metrics() async throws {
    var iterator = store.snapshots(.every()).makeAsyncIterator()
    store.send(.counts(1, 2, 3))
    #expect(await store.metrics.observers == 1)
    #expect(await store.metrics.observerLag == 3)
    _ = try await counts(&iterator, 3)
    #expect(await store.metrics.observerLag == 1)
  }
}
