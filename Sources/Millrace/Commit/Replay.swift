/// One observer of every state: reduces what is committed on a state of its own, from when it was made.
///
/// It does not hold the store, and leaves it when it is dropped.
@usableFromInline
final class Replay<I: Interactor> {
  /// What led to a state.
  @usableFromInline
  struct Step {
    /// The mutation that led to it; nil for the first state, and after a gap if it is not known any more.
    @usableFromInline let entry: LogEntry<I>?

    /// How many commits were skipped before it.
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

  /// What a look at the store finds.
  @usableFromInline
  enum Finding {
    case entries
    case state(Snapshot<I.State>, LogEntry<I>?)
    case nothing
    case ended
    case failed(ObservationError)
  }

  @usableFromInline private(set) weak var committer: Committer<I>?
  @usableFromInline let cursor: LogCursor<I>

  /// What was taken from the log, and where the part begins that is not replayed yet.
  @exclusivity(unchecked) @usableFromInline var batch: [LogEntry<I>] = []
  @exclusivity(unchecked) @usableFromInline var index = 0

  /// The state after the last step; nil before the first one.
  @exclusivity(unchecked) @usableFromInline var state: I.State?

  /// The revision of that state.
  @exclusivity(unchecked) @usableFromInline var revision = -1

  @usableFromInline
  init(_ committer: Committer<I>?, _ policy: ObservationTerms, seeksCauses: Bool = false) {
    self.committer = committer
    let cursor = LogCursor<I>(policy, seeksCauses: seeksCauses)
    self.cursor = cursor
    // Called from inside a step, this begins right after it.
    committer?.performUrgently { [weak committer] in
      let snapshot = committer?.begin(cursor)
      cursor.first.withLock { $0 = snapshot }
    }
  }

  @usableFromInline
  deinit {
    committer?.perform { [weak committer, cursor] in committer?.end(cursor) }
  }

  /// The next state, as soon as there is one; nil when there will be none.
  @inlinable
  func next() async throws(ObservationError) -> Step? {
    while !Task.isCancelled {
      if revision < 0, let first = takeFirst() { return go(to: first, nil) }
      if index < batch.count { return replay() }
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
    let isFirst = revision < 0
    let missed = isFirst ? 0 : snapshot.revision - revision - 1
    state = snapshot.state
    revision = snapshot.revision
    cursor.delivered = revision
    return Step(entry: entry, missed: missed, isFirst: isFirst)
  }

  @inlinable
  func replay() -> Step {
    let entry = batch[index]
    index += 1
    if state != nil { I.reduce(into: &state!, mutation: entry.mutation) }
    revision += 1
    cursor.delivered = revision
    if cursor.isHolding { committer?.noteProgress(of: cursor) }
    return Step(entry: entry, missed: 0, isFirst: false)
  }

  // MARK: Looking

  /// Takes what the log has for this, or waits until there may be something.
  @inlinable
  func look() async -> Finding {
    batch.removeAll(keepingCapacity: true)
    index = 0
    guard let committer else { return takeWhatIsLeft() }
    if committer.enterOrGiveUp() {
      let finding = take(from: committer)
      let registry = committer.registry
      committer.leave()
      guard case .nothing = finding else { return finding }
      if registry?.linger(after: revision, newest: committer.newest) == true { return .nothing }
    }
    await committer.park(cursor.waiter, after: revision)
    return .nothing
  }

  /// With the store's turn.
  @inlinable
  func take(from committer: Committer<I>) -> Finding {
    if revision < 0 { return .nothing }  // It has begun since this looked for its first state.
    if let error = cursor.error { return .failed(error) }
    guard cursor.position != nil else {
      let entry = committer.registry?.log?.last
      return .state(committer.begin(cursor), entry)
    }
    committer.registry?.log?.take(for: cursor, into: &batch)
    if !batch.isEmpty { return .entries }
    return committer.isOpen ? .nothing : .ended
  }

  /// The store is gone, so that nothing else touches the cursor.
  @inlinable
  func takeWhatIsLeft() -> Finding {
    cursor.take(into: &batch)
    if !batch.isEmpty { return .entries }
    return cursor.error.map { .failed($0) } ?? .ended
  }
}

extension Committer {
  /// Lets the cursor read on from the newest state, which it is given.
  ///
  /// *Owner's.*
  @usableFromInline
  final func begin(_ cursor: LogCursor<I>) -> Snapshot<I.State> {
    ownRegistry.join(cursor, at: revision)
    cursor.delivered = revision
    cursorsChanged()
    return Snapshot(revision: revision, state: state)
  }

  /// Sees whether the cursor, which held the store up, still does.
  ///
  /// From any thread.
  @usableFromInline
  final func noteProgress(of cursor: LogCursor<I>) {
    perform { [weak self] in
      guard let self else { return }
      self.registry?.log?.releaseIfNear(cursor, revision: self.revision)
      self.cursorsChanged()
    }
  }

  /// Keeps nothing for the cursor any more.
  ///
  /// *Owner's.*
  final func end(_ cursor: LogCursor<I>) {
    registry?.leave(cursor)
    cursorsChanged()
  }

  @usableFromInline
  final func cursorsChanged() {
    guard let registry else { return }
    observersHold(registry.isBackpressured)
    causesAreSought(registry.causeSeekers > 0)
    dropRegistryIfUnused()
  }
}
