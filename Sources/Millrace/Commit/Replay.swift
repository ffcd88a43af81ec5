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
  @usableFromInline let follower: Follower<I>

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
    let follower = Follower<I>(policy, seeksCauses: seeksCauses)
    self.follower = follower
    // Called from inside a step, this begins right after it.
    committer?.performUrgently { [weak committer] in
      let snapshot = committer?.begin(follower)
      follower.first.withLock { $0 = snapshot }
    }
  }

  @usableFromInline
  deinit {
    committer?.perform { [weak committer, follower] in committer?.end(follower) }
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
    follower.first.withLock { first in
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
    follower.delivered = revision
    return Step(entry: entry, missed: missed, isFirst: isFirst)
  }

  @inlinable
  func replay() -> Step {
    let entry = batch[index]
    index += 1
    if state != nil { I.reduce(into: &state!, mutation: entry.mutation) }
    revision += 1
    follower.delivered = revision
    if follower.isHolding { committer?.noteProgress(of: follower) }
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
      let board = committer.board
      committer.leave()
      guard case .nothing = finding else { return finding }
      if board?.linger(after: revision, newest: committer.newest) == true { return .nothing }
    }
    await committer.park(follower.waiter, after: revision)
    return .nothing
  }

  /// With the store's turn.
  @inlinable
  func take(from committer: Committer<I>) -> Finding {
    if revision < 0 { return .nothing }  // It has begun since this looked for its first state.
    if let error = follower.error { return .failed(error) }
    guard follower.position != nil else {
      let entry = committer.board?.log?.last
      return .state(committer.begin(follower), entry)
    }
    committer.board?.log?.take(for: follower, into: &batch)
    if !batch.isEmpty { return .entries }
    return committer.isOpen ? .nothing : .ended
  }

  /// The store is gone, and with it whoever else would touch the follower.
  @inlinable
  func takeWhatIsLeft() -> Finding {
    follower.take(into: &batch)
    if !batch.isEmpty { return .entries }
    return follower.error.map { .failed($0) } ?? .ended
  }
}

extension Committer {
  /// Lets the follower read on from the newest state, which it is given.
  ///
  /// *Owner's.*
  @usableFromInline
  final func begin(_ follower: Follower<I>) -> Snapshot<I.State> {
    ownBoard.join(follower, at: revision)
    follower.delivered = revision
    noteFollowers()
    return Snapshot(revision: revision, state: state)
  }

  /// Sees whether the follower, which held the store up, still does.
  ///
  /// From any thread.
  @usableFromInline
  final func noteProgress(of follower: Follower<I>) {
    perform { [weak self] in
      guard let self else { return }
      self.board?.log?.releaseIfNear(follower, revision: self.revision)
      self.noteFollowers()
    }
  }

  /// Keeps nothing for the follower any more.
  ///
  /// *Owner's.*
  final func end(_ follower: Follower<I>) {
    board?.leave(follower)
    noteFollowers()
  }

  @usableFromInline
  final func noteFollowers() {
    guard let board else { return }
    observersHold(board.isHeld)
    causesAreSought(board.causeSeekers > 0)
    dropBoardIfUnused()
  }
}
