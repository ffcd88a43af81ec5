/// One observer of every state: reduces what is committed on a state of its own, from when it was made.
///
/// It does not hold the store, and leaves it when it is dropped.
@usableFromInline
final class Replay<I: Interactor> {
  /// One step of a replay, to the next state.
  @usableFromInline
  struct Step {
    /// The mutation that led to it; nil for the first state, and after a gap if it is not known any more.
    @usableFromInline let entry: LogEntry<I>?

    /// The number of commits that were skipped before it.
    @usableFromInline let missed: Int

    /// Whether it is the state that this began with.
    @usableFromInline let isFirst: Bool

    @inlinable
    init(entry: LogEntry<I>?, missed: Int, isFirst: Bool) {
      self.entry = entry
      self.missed = missed
      self.isFirst = isFirst
    }
  }

  /// The result of a look at the store.
  @usableFromInline
  enum Finding {
    case entries
    case state(Snapshot<I.State>, LogEntry<I>?)
    case nothing
    case ended
    case failed(StoreError)
  }

  @usableFromInline private(set) weak var core: StoreCore<I>?
  @usableFromInline let cursor: LogCursor<I>

  /// The entries that were taken from the log, and the state that the replayed ones of them led to.
  @usableFromInline
  struct Progress {
    @usableFromInline var batch: [LogEntry<I>] = []

    /// The index of the first entry that is not replayed.
    @usableFromInline var index = 0

    /// The state after the last step; nil before the first one.
    @usableFromInline var state: I.State?

    /// The revision of that state.
    @usableFromInline var revision = -1
  }

  @exclusivity(unchecked) @usableFromInline var progress = Progress()

  @usableFromInline
  init(_ core: StoreCore<I>?, _ policy: ObservationTerms, seeksCauses: Bool = false) {
    self.core = core
    let cursor = LogCursor<I>(policy, seeksCauses: seeksCauses)
    self.cursor = cursor
    guard let core else { return }
    // Called from inside a step, this begins right after it.
    core.performUrgently { owned in
      let snapshot = owned.begin(cursor, at: core)
      cursor.first.withLock { $0 = snapshot }
    }
  }

  @usableFromInline
  deinit {
    guard let core else { return }
    core.perform { [core, cursor] owned in owned.end(cursor, at: core) }
  }

  /// The next state, as soon as there is one; nil when there will be none.
  @inlinable
  func next() async throws(StoreError) -> Step? {
    while !Task.isCancelled {
      if progress.revision < 0, let first = takeFirst() { return go(to: first, nil) }
      if progress.index < progress.batch.count { return replay() }
      switch await look() {
      case .entries, .nothing: continue
      case .state(let snapshot, let entry): return go(to: snapshot, entry)
      case .ended: return nil
      case .failed(let error): throw error
      }
    }
    return nil
  }

  @usableFromInline
  func takeFirst() -> Snapshot<I.State>? {
    cursor.first.withLock { first in
      defer { first = nil }
      return first
    }
  }

  @inlinable
  func go(to snapshot: Snapshot<I.State>, _ entry: LogEntry<I>?) -> Step {
    let isFirst = progress.revision < 0
    let missed = isFirst ? 0 : snapshot.revision - progress.revision - 1
    progress.state = snapshot.state
    progress.revision = snapshot.revision
    cursor.delivered = snapshot.revision
    return Step(entry: entry, missed: missed, isFirst: isFirst)
  }

  @inlinable
  func replay() -> Step {
    let entry = progress.batch[progress.index]
    progress.index += 1
    if progress.state != nil { I.reduce(into: &progress.state!, mutation: entry.mutation) }
    progress.revision += 1
    cursor.delivered = progress.revision
    if cursor.isHolding { core?.didProgress(cursor) }
    return Step(entry: entry, missed: 0, isFirst: false)
  }

  // MARK: Looking

  /// Takes what the log has for this, or waits until there may be something.
  @inlinable
  func look() async -> Finding {
    progress.batch.removeAll(keepingCapacity: true)
    progress.index = 0
    guard let core else { return takeWhatIsLeft() }
    if let (finding, registry) = core.tryPerform({ owned in (take(from: &owned, at: core), owned.registry) }) {
      guard case .nothing = finding else { return finding }
      if registry?.linger(after: progress.revision, newest: core.newest) == true { return .nothing }
    }
    await core.park(cursor.waiter, after: progress.revision)
    return .nothing
  }

  /// Takes the entries that the log has for this, or begins anew.
  @inlinable
  func take(from owned: inout Owned<I>, at core: StoreCore<I>) -> Finding {
    if progress.revision < 0 { return .nothing }  // It has begun since this looked for its first state.
    if let error = cursor.error { return .failed(error) }
    guard cursor.position != nil else {
      let entry = owned.registry?.log?.last
      return .state(owned.begin(cursor, at: core), entry)
    }
    owned.registry?.log?.take(for: cursor, into: &progress.batch)
    if !progress.batch.isEmpty { return .entries }
    return owned.isOpen ? .nothing : .ended
  }

  /// The store is gone, so that nothing else touches the cursor.
  @inlinable
  func takeWhatIsLeft() -> Finding {
    cursor.take(into: &progress.batch)
    if !progress.batch.isEmpty { return .entries }
    return cursor.error.map { .failed($0) } ?? .ended
  }
}

extension Replay {
  /// Creates readers of a store's states under a policy; they do not hold the core.
  @inlinable
  static func readers<Failure>(
    _ policy: ObservationPolicy<Failure>, at core: StoreCore<I>
  ) -> @Sendable () -> SnapshotReader<I.State> {
    let makeReader = readers(policy.terms, at: core)
    guard policy.involvesJournal, let gate = core.gate else { return makeReader }
    return { [isDurable = policy.isDurable] in
      SnapshotReader(
        next: JournaledElements(makeReader().next, at: gate, heldBackUntil: isDurable ? \.revision : nil).next)
    }
  }

  @inlinable
  static func readers(_ terms: ObservationTerms, at core: StoreCore<I>) -> @Sendable () -> SnapshotReader<I.State> {
    switch terms {
    case .latest:
      let source = core.stateSource()
      return { SnapshotReader.latest(source) }
    case .every, .lossless:
      return { [weak core] in
        let replay = Replay(core, terms)
        return SnapshotReader { () async throws(StoreError) -> Snapshot<I.State>? in
          guard let step = try await replay.next(), let state = replay.progress.state else { return nil }
          return Snapshot(revision: replay.progress.revision, state: state, missed: step.missed)
        }
      }
    }
  }
}
