import MillraceTesting
import Testing

@testable import Millrace

@Suite("The snapshots of a store", .timeLimit(.minutes(1)))
struct SnapshotsTests {
  let store = Store<ClosureInteractor>()

  @Test("O3: snapshots tell the revision and how many states were missed since the one before; none before the first")
  func snapshotsTellWhatWasMissed() async throws {
    store.send(.counts(1, 2))
    var iterator = store.snapshots(.latest).makeAsyncIterator()
    #expect(await iterator.next() == Snapshot(revision: 2, state: ClosureInteractor.State(count: 2), missed: 0))
    store.send(.count(3))
    #expect(await iterator.next() == Snapshot(revision: 3, state: ClosureInteractor.State(count: 3), missed: 0))
    store.send(.counts(4, 5, 6))
    store.send(.count(7))
    #expect(await iterator.next() == Snapshot(revision: 7, state: ClosureInteractor.State(count: 7), missed: 3))
  }

  @Test("O1, O3: every observer's missed and seen states add up to the revision, while eight tasks send")
  func missedAndSeenAddUp() async throws {
    let (senders, each) = (8, 250)
    let observers = (0..<3).map { _ in
      Task { [store] in
        var snapshots: [Snapshot<ClosureInteractor.State>] = []
        for await snapshot in store.snapshots(.latest) {
          snapshots.append(snapshot)
          if snapshot.revision == senders * each { break }
        }
        return snapshots
      }
    }
    await withTaskGroup { group in
      for _ in 0..<senders {
        group.addTask { [store] in
          for _ in 0..<each { store.send(.increment) }
        }
      }
    }
    for observer in observers {
      let snapshots = await observer.value
      #expect(snapshots.allSatisfy { $0.revision == $0.state.count })
      let later = snapshots.dropFirst()
      #expect(later.map(\.missed).reduce(0, +) + later.count == senders * each - (snapshots.first?.revision ?? -1))
    }
  }

  @Test("O6: snapshots end at shutdown after the last one, and at release")
  func snapshotsEnd() async throws {
    var iterator = store.snapshots(.latest).makeAsyncIterator()
    #expect(await iterator.next()?.revision == 0)
    store.send(.count(1))
    await store.shutdown()
    #expect(await iterator.next()?.revision == 1)
    #expect(await iterator.next() == nil)
    var orphan = Store<ClosureInteractor>().snapshots(.latest).makeAsyncIterator()
    #expect(await orphan.next() == nil)
  }
}
