import MillraceTesting
import Testing

@testable import Millrace

/// A store has a registry while an observer needs it.
@Suite("ObserverRegistry", .timeLimit(.minutes(1)))
struct ObserverRegistryTests {
  let store = Store<ClosureInteractor>()

  /// Makes the store check whether it needs its registry.
  private func dropIfUnused() {
    store.setInterceptors([])
  }

  @Test("A registry that no observer needs is removed, so that commits look for none")
  func goes() async throws {
    var iterator: StoreSequence<Snapshot<ClosureInteractor.State>, Never>.Iterator? = store.snapshots(.every())
      .makeAsyncIterator()
    #expect(store.onRegistry { $0 == nil } == false)
    #expect(await iterator?.next()?.revision == 0)
    iterator = nil
    #expect(store.onRegistry { $0 == nil } == true)
  }

  @Test("A registry stays while anything is observed, by a closure too")
  func stays() async throws {
    var states = store.states.makeAsyncIterator()
    _ = await states.next()
    dropIfUnused()
    #expect(store.onRegistry { $0 == nil } == false)
    let other = Store<ClosureInteractor>()
    var counts = other.values { $0.count }.makeAsyncIterator()
    _ = await counts.next()
    other.setInterceptors([])
    #expect(other.onRegistry { $0 == nil } == false)
  }

  @Test("A sequence of values whose observer has left is observed again, with or without the registry")
  func observedAgain() async throws {
    let values = store.values { $0.count }
    var first: StoreSequence<Int, Never>.Iterator? = values.makeAsyncIterator()
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

  @Test("A wait that has ended judges no more, also before it was taken from the registry")
  func endedWait() {
    let registry = ObserverRegistry<ClosureInteractor>(published: 0)
    let judged = Notes<Int>()
    let watcher = Watcher<ClosureInteractor.State> { state in
      judged.note(state.count)
      return true
    }
    registry.add(watcher)
    watcher.end(.failure(StoreError(.noStateInTime)))
    #expect(registry.takeWatchers(satisfiedBy: ClosureInteractor.State(count: 1)).isEmpty)
    #expect(judged.all.isEmpty)
    #expect(!registry.needs.contains(.watchers))
  }
}
