/// Idempotency keys of senders: the first action of a key is done, and later ones get its outcome.
extension Owned {
  // MARK: Taking up

  /// Whether an action needs no take-up of its own, because its key is known, or because the store has no journal.
  @usableFromInline
  mutating func settlesByKey(_ run: ActiveRun<I>, at core: StoreCore<I>) -> Bool {
    guard let demands = run.record.journaled, run.takenUp == nil else { return false }
    guard let journal else {
      run.record.journaled = nil
      end(run, .rejected(.journal(MissingJournal())), at: core)
      return true
    }
    guard let key = demands.key else { return false }
    let runs = madeRuns(at: core)
    if runs.followers[key] != nil {
      run.record.journaled = nil
      guard runs.followerCount < core.configuration.limits.actionsWaiting else {
        end(run, .rejected(.full), at: core)
        return true
      }
      runs.followerCount += 1
      runs.followers[key, default: []].append(run)
      return true
    }
    if let result = journal.sink.result(of: key) {
      run.record.journaled = nil
      settle(run, result.outcome, result.revisions, at: core)
      return true
    }
    runs.followers[key] = []
    return false
  }

  /// Records the take-up of an action that is handled again, with its key.
  @usableFromInline
  mutating func restoreTakeUp(of run: ActiveRun<I>, _ key: RunKey, at core: StoreCore<I>) {
    run.takenUp = JournaledTakeUp(position: StoreJournal<I>.restoredPosition, key: key.text, isRestored: true)
    guard key.isSenders else { return }
    run.record.journaled = JournaledSend(key: key.text, confirms: false)
    madeRuns(at: core).followers[key.text] = []
  }

  // MARK: Results

  /// Keeps the entry of a decision that commits nothing, if the sender demands one; returns false if the action was rejected instead.
  @usableFromInline
  mutating func journalNothing(of run: ActiveRun<I>, at core: StoreCore<I>) -> Bool {
    guard let demands = run.record.journaled else { return true }
    if demands.key == nil, !demands.confirms { return true }
    return journal(.decided(.none, result(of: run, committing: 0, at: core)), of: run, at: core)
  }

  /// The result of an action that finishes with its decision, to be kept with that; nil if it has no key.
  @usableFromInline
  func result(of run: ActiveRun<I>, committing count: Int, at core: StoreCore<I>) -> KeyedResult? {
    guard let key = run.record.journaled?.key else { return nil }
    run.record.isResultKept = true
    let revisions = count == 0 ? nil : core.revision + 1...core.revision + count
    return KeyedResult(key: key, outcome: .finished, revisions: revisions)
  }

  /// The result of an action that ends, to be kept with its end; nil if it has no key, or its key is free again.
  func result(
    of run: ActiveRun<I>, _ outcome: Outcome, closing: I.Mutation?, at core: StoreCore<I>
  ) -> KeyedResult? {
    guard let key = run.record.journaled?.key, !run.record.isResultKept, outcome.isRemembered else { return nil }
    let committed = run.record.sharedRun?.record.lastRevision ?? run.record.lastRevision
    let last = closing == nil ? committed : core.revision + 1
    let first = run.firstRevision > 0 ? run.firstRevision : last
    return KeyedResult(key: key, outcome: outcome, revisions: last == 0 ? nil : first...last)
  }

  // MARK: Ending

  /// Forgets the key of an action that ends, and returns the actions that were sent with the same key meanwhile.
  @usableFromInline
  func forgetKey(of run: ActiveRun<I>) -> [ActiveRun<I>] {
    guard let key = run.record.journaled?.key, let runs else { return [] }
    run.record.journaled = nil
    let followers = runs.followers.removeValue(forKey: key) ?? []
    runs.followerCount -= followers.count
    return followers
  }

  /// Gives an action the outcome of the one that was sent before with the same key, unless it was cancelled.
  @usableFromInline
  mutating func settle(
    _ follower: ActiveRun<I>, with first: ActiveRun<I>, _ outcome: Outcome, at core: StoreCore<I>
  ) {
    if follower.hasEnded { return }
    let last = first.record.lastRevision
    settle(follower, outcome, last == 0 ? nil : first.firstRevision...last, at: core)
  }

  /// Gives an action an outcome with the commits of another action.
  private mutating func settle(
    _ run: ActiveRun<I>, _ outcome: Outcome, _ revisions: ClosedRange<Int>?, at core: StoreCore<I>
  ) {
    if let revisions {
      recordFirstCommit(revisions.lowerBound, of: run, at: core)
      run.record.lastRevision = revisions.upperBound
    }
    settle(run, outcome, asksClosing: false, at: core)
  }
}

extension Outcome {
  /// Whether an idempotency key keeps the outcome; after another one the key is free again.
  fileprivate var isRemembered: Bool {
    switch self {
    case .finished, .rejected(.decided): true
    case .failed, .cancelled, .superseded, .timedOut, .rejected, .shutDown, .abandoned: false
    }
  }
}

/// The error of an action with demands on a journal that is sent to a store without one.
struct MissingJournal: Error, CustomStringConvertible {
  var description: String {
    "The store has no journal, so it neither remembers idempotency keys nor confirms decisions; open it with `Store.open`."
  }
}
