import Millrace
import MillraceLoad
import Synchronization

/// Changes that 100 observers follow: a request ends when one of them, each in turn, has seen its change.
let fanOutScenario = LoadScenario(
  "fan-out", summary: "changes that 100 observers follow, until they are seen", rate: 500
) { _ in
  ObservedCounter(observers: 100)
} perform: { counter, request in
  await counter.change(seenBy: request.number)
}

/// A store and observers that say which revisions they have seen.
private final class ObservedCounter: Sendable {
  private let store = Store(initial: 0, interactor: Counting())
  private let observers: [Observer]
  private let tasks: [Task<Void, Never>]

  init(observers count: Int) {
    let observers = (0..<count).map { _ in Observer() }
    self.observers = observers
    tasks = observers.map { [store] observer in
      let states = store.snapshots(.latest)
      return Task.detached {
        for await snapshot in states { observer.see(snapshot.revision) }
      }
    }
  }

  deinit {
    for task in tasks { task.cancel() }
  }

  /// Changes the state, and returns when an observer has seen the change.
  func change(seenBy observer: Int) async {
    guard let revision = await store.send(.increment).lastRevision else { return }
    await observers[observer % observers.count].waitUntilSeen(revision)
  }
}

/// The newest revision that an observer has seen, and who waits for a newer one.
private final class Observer: Sendable {
  private struct State {
    var newest = 0
    var waiting: [(revision: Int, continuation: UnsafeContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  func see(_ revision: Int) {
    let seen = state.withLock { state in
      state.newest = revision
      let end = state.waiting.partition { $0.revision <= revision }
      defer { state.waiting.removeSubrange(end...) }
      return state.waiting[end...].map(\.continuation)
    }
    for continuation in seen { continuation.resume() }
  }

  func waitUntilSeen(_ revision: Int) async {
    await withUnsafeContinuation { continuation in
      let isSeen = state.withLock { state in
        if state.newest < revision { state.waiting.append((revision, continuation)) }
        return state.newest >= revision
      }
      if isSeen { continuation.resume() }
    }
  }
}

private struct Counting: Interactor {
  enum Action: Sendable { case increment }
  enum Mutation: Sendable { case incremented }

  func decide(_ action: Action, state: Int) -> Decision<Mutation> { .mutate(.incremented) }

  func handle(_ action: Action, state: Int) async -> Effect<Self> { .none }

  static func reduce(into state: inout Int, mutation: Mutation) { state += 1 }
}
