/// Stores without work, which may be released without a loss.
///
/// A store is idle if no action is open, no handler is out and all is durable. It is idle too if its open actions rest for more than a minute, are to be
/// handled again, and no caller waits for their outcomes: a shutdown leaves them open in the log. Its feedbacks may need it in a minute at the earliest, and
/// not at all if there is no journal by which it is opened again.
extension StoreCore {
  /// The state of an idle store; nil if it is busy, and from inside a step.
  ///
  /// - Parameter work: Called once if the store is busy, when it may be idle: on any thread, also with the store's lock.
  func idleState(orWhenIdle work: (@Sendable () -> Void)?) -> IdleState<I.State>? {
    let idle: IdleState<I.State>?? = performNow { $0.idleState(orWhenIdle: work, at: self) }
    return idle ?? nil
  }

  /// Sets the time at which a state needs the store.
  func setWake(_ wake: @escaping @Sendable (I.State) -> Int64?) {
    performUrgently { owned in owned.madeRegistry(at: self).wake = wake }
  }

  /// Looks again whether the state needs the store, because an effect has returned.
  func effectDidReturn() { perform { $0.registry?.wakeMayChange() } }

  /// Returns once every entry is durable that was appended before the call.
  ///
  /// - Throws: ``StoreError`` if the journal has failed, so that it is not known which entries are stored.
  func waitUntilDurable() async throws(StoreError) {
    guard let gate else { return }
    let position = await withUnsafeContinuation { (continuation: UnsafeContinuation<Int?, Never>) in
      perform { owned in
        let position = owned.journal?.position
        self.lock.afterUnlock { continuation.resume(returning: position) }
      }
    }
    guard let position else { return try gate.checkEnd() }
    if let error = await gate.waitUntilDurable(position: position) { throw StoreError(.journalFailed(error)) }
  }

  /// Returns once all handlers have returned; for a store that was shut down.
  func waitForHandlers() async {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      perform { owned in
        if let runs = owned.runs, !runs.scheduler.isEmpty { return runs.idleWork.append { continuation.resume() } }
        self.lock.afterUnlock { continuation.resume() }
      }
    }
  }
}

/// The state of an idle store.
package struct IdleState<State: Sendable>: Sendable {
  package let snapshot: Snapshot<State>

  /// Whether runs rest, or feedbacks wait, so that the store has to be shut down.
  package let rests: Bool

  /// The wall time in milliseconds at which the first of these needs the store; nil without one.
  package let end: Int64?

  /// The number of actions that were sent to the store.
  package let sent: Int
}

extension Owned {
  fileprivate mutating func idleState(
    orWhenIdle work: (@Sendable () -> Void)?, at core: StoreCore<I>
  ) -> IdleState<I.State>? {
    if core.queuedNow > 0 || core.lock.hasQueuedWork {
      if let work { core.lock.enqueue(for: core, work) }
      return nil
    }
    if let journal, !journal.gate.isDurable(position: journal.position) {
      let (gate, position) = (journal.gate, journal.position)
      if let work { core.lock.afterUnlock { gate.whenDurable(position: position) { _ in work() } } }
      return nil
    }
    let snapshot = snapshot(at: core)
    let isFar = { (time: Int64?) in time.map { $0 - core.configuration.wallTime() > 60_000 } ?? true }
    let need = registry?.wake?(state)
    guard isFar(need), need == nil || journal != nil else {
      if let work { registry?.whenWakeChanges(work) }
      return nil
    }
    guard let runs, !runs.scheduler.isEmpty else {
      return IdleState(snapshot: snapshot, rests: registry?.wake != nil, end: need, sent: sent(at: core))
    }
    if let end = endOfRests(at: core), isFar(end), !isAwaited {
      return IdleState(snapshot: snapshot, rests: true, end: earliest(end, need), sent: sent(at: core))
    }
    if let work { runs.idleWork.append(work) }
    return nil
  }

  /// Whether a caller waits for the outcome of an action that rests.
  private var isAwaited: Bool {
    guard let runs else { return false }
    return runs.followerCount > 0
      || runs.tables.records.contains { run in
        run.map { $0.isAwaited || $0.record.answer != nil || $0.lineage?.tree != nil } ?? false
      }
  }

  /// The wall time in milliseconds at which the first of the open actions continues, nil inside for none; nil if one of them does not rest, or is not
  /// to be handled again.
  func endOfRests(at core: StoreCore<I>) -> Int64?? {
    guard let runs, !runs.scheduler.isEmpty, runs.scheduler.isQuiet else { return .none }
    var end: Int64?
    for case let run? in runs.tables.records where !run.hasEnded {
      guard run.takenUp?.coder != nil, let rests = run.madeSteps else { return .none }
      if let rest = rests.firstEnd { end = min(end ?? .max, rest) }
      guard let timeout = run.record.handle.flatMap({ runs.scheduler.timeout(of: $0) }) else { continue }
      let rest = WallTime.after(.nanoseconds(timeout - runs.services.time.now()), core.configuration.wallTime())
      end = min(end ?? .max, rest)
    }
    return .some(end)
  }

  /// Keeps the wall time at which the key of a store that is shut down has to be opened, if its open actions rest, or if it has feedbacks and no open actions.
  func journalRests(at core: StoreCore<I>) {
    guard let journal else { return }
    let rests = endOfRests(at: core)
    if rests == nil, registry?.wake == nil || runs?.scheduler.isEmpty == false { return }
    let end = earliest(rests ?? nil, registry?.wake?(state))
    if journal.sink.hasStored(wake: end) { return }
    // An entry that is not taken leaves the key as one that has to be open.
    try? journal.append(.rests(until: end), in: .unlimited, after: core.revision)
    core.lock.planNotification()
  }

  /// The earlier of two times; nil is later than any other.
  private func earliest(_ one: Int64?, _ other: Int64?) -> Int64? {
    [one, other].compactMap { $0 }.min()
  }
}
