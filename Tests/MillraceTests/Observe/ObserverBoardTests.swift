import MillraceTesting
import Testing

@testable import Millrace

/// The board of a store comes with whoever needs it, and goes with the last of them.
@Suite("ObserverBoard", .timeLimit(.minutes(1)))
struct ObserverBoardTests {
  let store = Store<Sheet>()

  /// Lets the store look whether it needs its board.
  private func dropIfUnused() {
    store.setInterceptors([])
  }

  @Test("A board that nobody needs goes, so that commits ask nothing")
  func goes() async throws {
    var iterator: SnapshotSequence<Sheet.State>.Iterator? = store.states(.every()).makeAsyncIterator()
    #expect(store.onBoard { $0 == nil } == false)
    #expect(try await iterator?.next()?.revision == 0)
    iterator = nil
    #expect(store.onBoard { $0 == nil } == true)
  }

  @Test("A board stays while anything is observed, by a closure too")
  func stays() async throws {
    var states = store.states.makeAsyncIterator()
    _ = await states.next()
    dropIfUnused()
    #expect(store.onBoard { $0 == nil } == false)
    let other = Store<Sheet>()
    var counts = other.values { $0.count }.makeAsyncIterator()
    _ = await counts.next()
    other.setInterceptors([])
    #expect(other.onBoard { $0 == nil } == false)
  }

  @Test("A sequence of values whose observer has gone is observed again, whatever became of the board")
  func observedAgain() async throws {
    let values = store.values { $0.count }
    var first: ValueSequence<Int>.Iterator? = values.makeAsyncIterator()
    #expect(await first?.next() == 0)
    first = nil
    dropIfUnused()
    let seen = Recorder<Int>()
    let observer = Task {
      for await value in values { seen.record(value) }
    }
    #expect(try await seen.next() == 0)
    store.send(.count(1))
    #expect(try await seen.next() == 1)
    observer.cancel()
    await observer.value
  }

  @Test("A wait that has ended judges no more, also before it was taken from the board")
  func endedWait() {
    let board = ObserverBoard<Sheet>(published: 0)
    let judged = Notes<Int>()
    let watcher = Watcher<Sheet.State> { state in
      judged.note(state.count)
      return true
    }
    board.add(watcher)
    watcher.end(.failure(WaitError(.timedOut)))
    #expect(board.takeWatchers(satisfiedBy: Sheet.State(count: 1)).isEmpty)
    #expect(judged.all.isEmpty)
    #expect(!board.hasWatchers)
  }
}
