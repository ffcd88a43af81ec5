import Synchronization

/// Holds back the outcomes of a store's actions until the journal has stored the entries that they depend on.
///
/// Entries of the journal are numbered by their positions, from 2 on, because 1 is the restored state; mutations by the revisions of the states that they lead to. Both
/// become durable in their order. Any thread may use the gate.
@usableFromInline
package final class DurabilityGate: Sendable {
  /// Called once: without an error when it is durable, and with the reason if the journal has failed before.
  package typealias Work = @Sendable ((any Error)?) -> Void

  private struct State {
    var position: Int
    var revision: Int
    var failure: (any Error)?
    var positions = Waits()
    var revisions = Waits()
    var observers = IndexedList<DurabilityObserver>()
    /// The handlers that wait until fewer bytes wait.
    var crowd = IndexedList<Waiter>()

    /// The observers whose states are durable by now; they wait no more.
    mutating func takeObservers() -> [DurabilityObserver] {
      let taken = observers.elements.filter { $0.revision <= revision }
      for observer in taken { observers.remove(observer) }
      return taken
    }
  }

  private let state: Lock<State>

  /// Whether the store takes no more actions, because too many bytes wait to be stored.
  private let crowded = Atomic(false)

  /// The position of the restored state.
  package static let restoredPosition = 1

  /// - Parameter revision: the revision of the restored state.
  package init(restored revision: Int = 0) {
    state = Lock(State(position: Self.restoredPosition, revision: revision))
  }

  /// The revision that the durable entries lead to.
  package var durableRevision: Int { state.withLock { $0.revision } }

  /// The position of the last entry that is durable, as is each before it.
  package var durablePosition: Int { state.withLock { $0.position } }

  /// Whether the entry at a position, and each before it, is durable.
  package func isDurable(position: Int) -> Bool { durablePosition >= position }

  /// Calls `work` when the entry at a position is durable: at once if it is.
  package func whenDurable(position: Int, _ work: @escaping Work) {
    wait(for: position, in: \.positions, beyond: \.position, work)
  }

  /// Calls `work` when all mutations up to a revision are durable: at once if they are.
  package func whenDurable(revision: Int, _ work: @escaping Work) {
    wait(for: revision, in: \.revisions, beyond: \.revision, work)
  }

  private func wait(
    for position: Int, in waits: WritableKeyPath<State, Waits>, beyond durable: KeyPath<State, Int>,
    _ work: @escaping Work
  ) {
    let end = state.withLock { state -> Result<Void, any Error>? in
      if state[keyPath: durable] >= position { return .success(()) }
      if let failure = state.failure { return .failure(failure) }
      state[keyPath: waits].insert(work, at: position)
      return nil
    }
    switch end {
    case .success: work(nil)
    case .failure(let error): work(error)
    case nil: break
    }
  }

  /// Returns when all mutations up to a revision are durable, or the reason why they are not known to be.
  func waitUntilDurable(revision: Int) async -> (any Error)? {
    await withUnsafeContinuation { continuation in
      whenDurable(revision: revision) { continuation.resume(returning: $0) }
    }
  }

  /// Returns when the entry at a position is durable, or the reason why it is not known to be.
  func waitUntilDurable(position: Int) async -> (any Error)? {
    await withUnsafeContinuation { continuation in
      whenDurable(position: position) { continuation.resume(returning: $0) }
    }
  }

  /// Notes that the entries up to a position are durable, and calls the closures that wait for them, on this thread.
  package func advance(to position: Int, revision: Int) {
    let (works, observers) = state.withLock { state in
      state.position = max(state.position, position)
      state.revision = max(state.revision, revision)
      let works = state.positions.take(through: state.position) + state.revisions.take(through: state.revision)
      return (works, state.takeObservers())
    }
    for work in works { work(nil) }
    for observer in observers { observer.waiter.signal() }
  }

  /// Notes that nothing more becomes durable, and calls everything that waits, on this thread.
  package func fail(_ error: any Error) { noteFailure(error)() }

  /// Notes that nothing more becomes durable; returns the calls to everything that waits, to be made without a lock.
  func noteFailure(_ error: any Error) -> @Sendable () -> Void {
    let (works, observers) = state.withLock { state -> ([Work], [DurabilityObserver]) in
      guard state.failure == nil else { return ([], []) }
      state.failure = error
      return (state.positions.take(through: .max) + state.revisions.take(through: .max), state.observers.takeAll())
    }
    setCrowded(false)
    return {
      for work in works { work(error) }
      for observer in observers { observer.waiter.signal() }
    }
  }

  // MARK: Backpressure

  /// Whether the store takes no more actions, and handlers whose mutations are asked for are not asked.
  package var isCrowded: Bool { crowded.load(ordering: .acquiring) }

  /// Notes whether too many bytes wait to be stored, and resumes the handlers that wait if they do not; called in the order of the changes.
  package func setCrowded(_ isCrowded: Bool) {
    crowded.store(isCrowded, ordering: .releasing)
    if isCrowded { return }
    for waiter in state.withLock({ $0.crowd.takeAll() }) { waiter.signal() }
  }

  /// Suspends while too many bytes wait to be stored; returns early in a cancelled task.
  @usableFromInline
  nonisolated(nonsending) func waitForRoom() async {
    let waiter = Waiter()
    while isCrowded, !Task.isCancelled {
      await withTaskCancellationHandler {
        await waiter.wait {
          let waits = state.withLock { state in
            guard isCrowded else { return false }
            state.crowd.insert(waiter)
            return true
          }
          if !waits { waiter.signal() }
        }
      } onCancel: {
        waiter.signal()
      }
    }
    state.withLock { $0.crowd.remove(waiter) }
  }

  // MARK: Observers

  /// Throws the failure of the journal at the end of an observer, unless that ends because its task is cancelled.
  @usableFromInline
  func checkEnd() throws(StoreError) {
    guard !Task.isCancelled, let failure = state.withLock({ $0.failure }) else { return }
    throw StoreError(.journalFailed(failure))
  }

  /// Suspends until the state of a revision is durable; returns false if the journal fails before, or in a cancelled task.
  @usableFromInline
  nonisolated(nonsending) func holdBack(_ observer: DurabilityObserver, until revision: Int) async -> Bool {
    if revision <= observer.durable { return true }
    while !Task.isCancelled {
      let (durable, hasFailed) = state.withLock { ($0.revision, $0.failure != nil) }
      observer.durable = durable
      if revision <= durable { return true }
      if hasFailed { return false }
      await withTaskCancellationHandler {
        await observer.waiter.wait { park(observer, until: revision) }
      } onCancel: {
        observer.waiter.signal()
      }
    }
    state.withLock { $0.observers.remove(observer) }
    return false
  }

  /// Registers an observer, which is signalled when the state of a revision is durable, or will not be.
  private func park(_ observer: DurabilityObserver, until revision: Int) {
    let waits = state.withLock { state in
      guard state.revision < revision, state.failure == nil else { return false }
      observer.revision = revision
      state.observers.insert(observer)
      return true
    }
    if !waits { observer.waiter.signal() }
  }
}

/// One observer that gets states once they are durable.
@usableFromInline
final class DurabilityObserver: Indexed, @unchecked Sendable {
  fileprivate let waiter = Waiter()

  /// The revision that the observer waits for, and its index among those that wait; guarded by the gate's lock.
  fileprivate var revision = 0
  var index: Int?

  /// A revision that is durable, as far as the observer knows; only the observer uses it.
  fileprivate var durable = 0

  @usableFromInline
  init() {}
}

/// Work that waits for positions, in the order of these.
private struct Waits {
  private var items: [(position: Int, work: DurabilityGate.Work)] = []

  /// Inserts behind everything that waits for the same position or an earlier one.
  mutating func insert(_ work: @escaping DurabilityGate.Work, at position: Int) {
    // Most come in their order.
    let index = (items.lastIndex { $0.position <= position } ?? -1) + 1
    items.insert((position, work), at: index)
  }

  mutating func take(through position: Int) -> [DurabilityGate.Work] {
    let end = items.firstIndex { $0.position > position } ?? items.endIndex
    defer { items.removeSubrange(..<end) }
    return items[..<end].map(\.work)
  }
}
