/// The journal: entries before commits, and outcomes and handlers that wait until these are durable.
extension Owned {
  // MARK: Deciding

  /// Takes up an action that needs no run if it is decided at once; its receipt waits for the journal.
  @inlinable
  @inline(never)
  mutating func takeUpJournaled(_ action: I.Action, _ id: ActionID, at core: StoreCore<I>) -> Receipt {
    let decision = core.interactor.decide(action, state: state)
    guard case .finish = decision.next else { return follow(decision, action, id, at: core) }
    let mutations = decision.decided
    if case .none = mutations { return withhold(id, first: 0, at: core) }
    if let error = keep(.decided(mutations, nil), in: .admission, at: core) {
      return reject(action, error, id, at: core)
    }
    let first = core.revision &+ 1
    switch mutations {
    case .none: break
    case .one(let mutation): commit(mutation, from: CommitOrigin(decision.child), at: core)
    case .many(let several): for mutation in several { commit(mutation, from: CommitOrigin(decision.child), at: core) }
    }
    return withhold(id, first: first, at: core)
  }

  /// The receipt of an action that has finished; it waits for all that was committed by now.
  @usableFromInline
  func withhold(_ id: ActionID, first: Int, at core: StoreCore<I>) -> Receipt {
    guard let journal else { return Receipt(id: id, .finished(first: first, last: first > 0 ? core.revision : 0)) }
    return Receipt(id: id, .withheld(by: journal.gate, first: first, last: core.revision))
  }

  @inlinable
  mutating func reject(_ action: I.Action, _ error: any Error, _ id: ActionID, at core: StoreCore<I>) -> Receipt {
    let run = ActiveRun(id: id, action: action, core: core, lineage: Lineage.ofSender())
    end(run, .rejected(Rejection(ofJournal: error)), at: core)
    return Receipt(run)
  }

  /// Keeps the decision on an action before it is committed; returns false if the action was rejected instead.
  @inlinable
  mutating func journalDecision(_ decision: Decision<I.Mutation>, of run: ActiveRun<I>, at core: StoreCore<I>) -> Bool {
    if run.takenUp != nil { return true }  // It is handled again.
    switch (decision.next, decision.decided) {
    case (.reject, _):
      return run.record.journaled?.confirms == true ? journal(.mark, in: .unlimited, of: run, at: core) : true
    case (.handle, let mutations): return journalTakeUp(of: run, mutations, at: core)
    case (.finish, .none): return journalNothing(of: run, at: core)
    case (.finish, let mutations):
      return journal(.decided(mutations, result(of: run, committing: mutations.count, at: core)), of: run, at: core)
    }
  }

  /// Keeps the take-up of an action, and gives its run the key that the take-up has; returns false if the action was rejected instead.
  @usableFromInline
  mutating func journalTakeUp(
    of run: ActiveRun<I>, _ mutations: DecidedMutations<I.Mutation>, at core: StoreCore<I>
  ) -> Bool {
    guard let sink = journal?.sink else { return true }
    let given = run.record.journaled?.key
    let key = RunKey(given ?? core.runKey(of: run).text, isSenders: given != nil, log: sink.logNames)
    let recovery = recovery(of: run, at: core)
    guard journal(.takenUp(run.action, run.id, key: key, recovery: recovery, mutations), of: run, at: core) else {
      return false
    }
    run.takenUp = JournaledTakeUp(position: journal?.position ?? 0, key: key, recovery == .abandon ? nil : sink)
    // One that is not taken ends no action here: the run is between two stages.
    for joiner in joiners(of: run) { _ = journalJoin(of: joiner, run, at: core) }
    return true
  }

  /// Keeps an entry of an action that is decided; returns false if the action was rejected instead.
  @usableFromInline
  mutating func journal(
    _ entry: StoreEntry<I.Action, I.Mutation>, in room: JournalRoom = .admission, of run: ActiveRun<I>,
    at core: StoreCore<I>
  ) -> Bool {
    guard let error = keep(entry, in: room, at: core) else { return true }
    refuse(run, Rejection(ofJournal: error), at: core)
    return false
  }

  @usableFromInline
  mutating func recovery(of run: ActiveRun<I>, at core: StoreCore<I>) -> Recovery {
    let runs = madeRuns(at: core)
    return run.record.handle.flatMap { runs.scheduler.planned($0)?.terms?.recovery } ?? .abandon
  }

  /// Keeps an entry, and returns the reason if it cannot be kept.
  @usableFromInline
  mutating func keep(
    _ entry: StoreEntry<I.Action, I.Mutation>, in room: JournalRoom, at core: StoreCore<I>
  ) -> (any Error)? {
    guard let journal else { return nil }
    do {
      try journal.append(entry, in: room, after: core.revision)
    } catch {
      return error
    }
    core.lock.planNotification()
    if journal.gate.isCrowded { updateBackpressure(at: core) }
    return nil
  }

  // MARK: Runs

  /// Keeps a mutation that a handler emits, before it is committed; returns false if the run was ended instead.
  @usableFromInline
  mutating func journalEmit(_ mutation: I.Mutation, of run: ActiveRun<I>, at core: StoreCore<I>) -> Bool {
    let room: JournalRoom = run.takenUp?.isAsked == true ? .unlimited : .emits
    guard let error = keep(.emitted(mutation, by: run.id), in: room, at: core) else { return true }
    end(run, .failed(error), at: core)
    return false
  }

  /// Keeps the end of an action, and returns the closing mutation to be committed; nil if there is none, or it cannot be kept.
  @usableFromInline
  mutating func journalEnd(
    of run: ActiveRun<I>, _ outcome: Outcome, closing: I.Mutation?, at core: StoreCore<I>
  ) -> I.Mutation? {
    if closing == nil, run.takenUp == nil, !run.record.mayHaveKey { return nil }
    if case .leftOpen = outcome {
      forgetDeaths(of: run, at: core)
      return nil
    }
    let keyed = keyedRuns(of: run, outcome)
    let joined = outcome.isRemembered ? run.takenUp?.joinedKeys ?? [] : []
    if let closing {
      guard let error = keepEnd(of: run, outcome, closing: closing, keyed, joined, at: core) else { return closing }
      reportLostClosing(error, of: run, at: core)
    }
    if keepEnd(of: run, outcome, closing: nil, keyed, joined, at: core) != nil, !keyed.isEmpty || !joined.isEmpty {
      _ = keepEnd(of: run, outcome, closing: nil, [], [], at: core)
    }
    return nil
  }

  /// Keeps the end of an action with the result for the keys of these actions and for those that joined its run in an earlier process,
  /// and returns the reason if it cannot be kept.
  private mutating func keepEnd(
    of run: ActiveRun<I>, _ outcome: Outcome, closing: I.Mutation?, _ keyed: [ActiveRun<I>], _ joined: [String],
    at core: StoreCore<I>
  ) -> (any Error)? {
    let keys = keyed.compactMap(\.record.journaled?.key) + joined
    let result = keys.isEmpty ? nil : result(of: run, keys, outcome, closing: closing, at: core)
    let entry: StoreEntry<I.Action, I.Mutation>
    if run.takenUp != nil {
      entry = .ended(run.id, outcome, closing: closing, result)
    } else if closing != nil || result != nil {
      entry = .decided(closing.map { .one($0) } ?? .none, result)
    } else {
      return nil
    }
    if let error = keep(entry, in: .unlimited, at: core) { return error }
    for run in keyed { run.record.isResultKept = true }
    return nil
  }

  /// Whether an action that is handled again ends before it is handled, so that its first take-up has no closing yet.
  @usableFromInline
  func isOwedClosing(_ run: ActiveRun<I>, _ outcome: Outcome) -> Bool {
    if case .leftOpen = outcome { return false }
    return journal != nil && run.takenUp?.isRestored == true && !outcome.isFinished
  }

  /// Whether an action that a shutdown ends stays open in the log, because it, or the run that it shares, is handled again.
  @usableFromInline
  func staysOpen(_ run: ActiveRun<I>) -> Bool {
    journal != nil && (run.record.sharedRun ?? run).takenUp?.coder != nil
  }

  private func reportLostClosing(_ error: any Error, of run: ActiveRun<I>, at core: StoreCore<I>) {
    report(
      Incident(
        .unhandledFailure, of: I.Action.self, action: run.id, error: error,
        "The closing mutation of \(String(reflecting: I.self)) for an action of type \(String(reflecting: I.Action.self)) "
          + "(\(run.id)) was not committed, because the journal did not take it: \(error)"), at: core)
  }

  /// Starts a handler on the pool once its action is durable, and the count of its deaths.
  @usableFromInline
  mutating func startWhenDurable(_ start: Startable, of run: ActiveRun<I>, at core: StoreCore<I>) {
    guard let journal, isCounted(run, at: core) else { return }
    let (gate, position) = (journal.gate, run.takenUp?.startPosition ?? 0)
    core.lock.afterUnlock {
      gate.whenDurable(position: position) { error in
        if error == nil { start.startOnPool() } else { run.launch.core = nil }
      }
    }
  }

  // MARK: Receipts

  /// Whether an outcome that is given now waits for the journal; that of an action which was refused undecided does not.
  @usableFromInline
  func withholds(_ outcome: Outcome, of run: ActiveRun<I>) -> Bool {
    guard let journal, !run.record.isShared else { return false }
    if case .rejected(let reason) = outcome, reason.kind != .decided, run.takenUp == nil { return false }
    return !journal.gate.isDurable(position: journal.position)
  }

  /// Publishes the outcome of an action once every entry that was appended so far is durable.
  @usableFromInline
  func releaseWhenDurable(_ run: ActiveRun<I>, at core: StoreCore<I>) {
    guard let journal else { return }
    let (gate, position) = (journal.gate, journal.position)
    core.lock.afterUnlock { gate.whenDurable(position: position) { run.releaseOutcome($0) } }
  }

  /// Answers the callers that wait for the first commit of an action, once it is durable.
  @usableFromInline
  func answerFirstCommit(_ revision: Int, of run: ActiveRun<I>, at core: StoreCore<I>) {
    guard let journal else { return core.answerAfterUnlock(run) }
    let gate = journal.gate
    core.lock.afterUnlock { gate.whenDurable(revision: revision) { run.releaseFirstCommit($0) } }
  }
}

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
    guard let text = demands.key else { return false }
    let (key, runs) = (UTF8Text(text), madeRuns(at: core))
    if runs.keyed[key] != nil {
      run.record.journaled = nil
      if run.record.answer != nil, run.lineage?.parent?.store == runs.services.store {
        end(run, .rejected(.notSent(Receipt.mayWaitForItself)), at: core)
        return true
      }
      guard runs.followerCount < core.configuration.limits.actionsWaiting else {
        end(run, .rejected(.full(at: .room)), at: core)
        return true
      }
      runs.followerCount += 1
      runs.keyed[key]?.followers.append(run)
      return true
    }
    if let result = journal.sink.result(of: text) {
      run.record.journaled = nil
      settle(run, result.outcome, result.revisions, at: core)
      return true
    }
    runs.keyed[key] = KeyedRuns(first: run.id)
    return false
  }

  /// Records the take-up of an action that is handled again, with its key and those of actions that had joined its run.
  @usableFromInline
  mutating func restoreTakeUp(
    of run: ActiveRun<I>, _ restored: RestoredAction<I.Action>, in line: RecoveryLine, at core: StoreCore<I>
  ) {
    let key = restored.key
    run.takenUp = JournaledTakeUp(
      position: StoreJournal<I>.restoredPosition, key: key,
      recovery: RecoveryCount(restored.deaths, takenUpAt: restored.takenUpAt, in: line), age: restored.age,
      journal?.sink, steps: restored.steps, joinedKeys: restored.joinedKeys)
    if key.isSenders { run.record.journaled = JournaledSend(key: key.text, confirms: false) }
    let keys = restored.joinedKeys + (key.isSenders ? [key.text] : [])
    for key in keys { madeRuns(at: core).keyed[UTF8Text(key)] = KeyedRuns(first: run.id) }
  }

  // MARK: Results

  /// Keeps the entry of a decision that commits nothing, if the sender demands one; returns false if the action was rejected instead.
  @usableFromInline
  mutating func journalNothing(of run: ActiveRun<I>, at core: StoreCore<I>) -> Bool {
    guard let demands = run.record.journaled else { return true }
    if demands.key == nil, !demands.confirms { return true }
    return journal(.decided(.none, result(of: run, committing: 0, at: core)), of: run, at: core)
  }

  /// The actions whose idempotency keys remember the outcome of an action: itself, and those that share its run; none if the
  /// keys are free again.
  private func keyedRuns(of run: ActiveRun<I>, _ outcome: Outcome) -> [ActiveRun<I>] {
    guard outcome.isRemembered else { return [] }
    return (run.record.journaled?.key == nil || run.record.isResultKept ? [] : [run]) + joiners(of: run)
  }

  /// The actions with keys that share a run, besides the first, in the order in which they were sent.
  @usableFromInline
  func joiners(of run: ActiveRun<I>) -> [ActiveRun<I>] {
    guard run.record.isShared, let joined = runs?.keyedJoiners[run.id] else { return [] }
    return joined.values.sorted { $0.id.number < $1.id.number }
  }

  /// The result of an action that finishes with its decision, to be kept with that; nil if no key remembers it.
  @usableFromInline
  func result(of run: ActiveRun<I>, committing count: Int, at core: StoreCore<I>) -> KeyedResult? {
    guard run.record.mayHaveKey else { return nil }
    let keyed = keyedRuns(of: run, .finished)
    if keyed.isEmpty { return nil }
    for run in keyed { run.record.isResultKept = true }
    let revisions = count == 0 ? nil : core.revision + 1...core.revision + count
    return KeyedResult(keys: keyed.compactMap(\.record.journaled?.key), outcome: .finished, revisions: revisions)
  }

  /// The result of an action that ends, to be kept with its end for these keys.
  private func result(
    of run: ActiveRun<I>, _ keys: [String], _ outcome: Outcome, closing: I.Mutation?, at core: StoreCore<I>
  ) -> KeyedResult {
    let committed = run.record.sharedRun?.record.lastRevision ?? run.record.lastRevision
    let last = closing == nil ? committed : core.revision + 1
    let first = run.firstRevision > 0 ? run.firstRevision : last
    return KeyedResult(keys: keys, outcome: outcome, revisions: last == 0 ? nil : first...last)
  }

  /// Registers the key of an action that joins a shared run, so that the end of the run records the outcome for it.
  @usableFromInline
  mutating func joinKey(of run: ActiveRun<I>, _ shared: ActiveRun<I>, at core: StoreCore<I>) {
    if run.record.journaled?.key == nil { return }
    runs?.keyedJoiners[shared.id, default: [:]][run.id] = run
    if let error = journalJoin(of: run, shared, at: core) { end(run, .failed(error), at: core) }
  }

  /// Keeps that an action with a key has joined a run which is in the log and is handled again, or has left it; returns the reason if that
  /// cannot be kept.
  ///
  /// An action that has joined waits for the run when it is sent once more after a crash.
  @usableFromInline
  mutating func journalJoin(
    of run: ActiveRun<I>, _ shared: ActiveRun<I>, leaves: Bool = false, at core: StoreCore<I>
  ) -> (any Error)? {
    guard shared.takenUp?.coder != nil, let key = run.record.journaled?.key else { return nil }
    return keep(.joined(shared.id, key: key, leaves: leaves), in: .unlimited, at: core)
  }

  // MARK: Ending

  /// Forgets the key of an action that ends, and returns the actions that were sent with the same key meanwhile.
  ///
  /// An action that was refused before its take-up leaves its key to the first one.
  @usableFromInline
  mutating func forgetKey(of run: ActiveRun<I>, _ outcome: Outcome, at core: StoreCore<I>) -> [ActiveRun<I>] {
    if let shared = run.record.sharedRun, let runs, var joined = runs.keyedJoiners.removeValue(forKey: shared.id) {
      let leaves = joined.removeValue(forKey: run.id) != nil
      if leaves, !shared.hasEnded, outcome.kind != .leftOpen {
        _ = journalJoin(of: run, shared, leaves: true, at: core)
      }
      if !joined.isEmpty { runs.keyedJoiners[shared.id] = joined }
    }
    guard let runs else { return [] }
    let keys = (run.takenUp?.joinedKeys ?? []) + (run.record.journaled?.key.map { [$0] } ?? [])
    var followers: [ActiveRun<I>] = []
    for key in keys.map({ UTF8Text($0) }) {
      guard let ended = runs.keyed[key], ended.first == run.id else { continue }
      run.record.journaled = nil
      runs.keyed[key] = nil
      followers += ended.followers
    }
    runs.followerCount -= followers.count
    return followers
  }

  /// Ends an action with the outcome of the first action of its key, unless it was cancelled.
  @usableFromInline
  mutating func settle(
    _ follower: ActiveRun<I>, with first: ActiveRun<I>, _ outcome: Outcome, at core: StoreCore<I>
  ) {
    if follower.hasEnded { return }
    let last = first.record.lastRevision
    settle(follower, outcome, last == 0 ? nil : first.firstRevision...last, at: core)
  }

  /// Ends an action with an outcome and the commits of another action.
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
