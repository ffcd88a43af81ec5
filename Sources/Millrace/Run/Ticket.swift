public import Synchronization

/// What a receipt refers to while its action has not ended, and how it ended; the same object is the run's own record.
///
/// What receipts ask for is guarded by `progress`; what is marked *owner's* by the store's turn.
@usableFromInline
package class Ticket: Startable, @unchecked Sendable {
  /// What receipts know of an action.
  private struct Progress {
    enum Phase {
      /// Accepted or running. Becomes `ended`.
      case open(Combiner)
      /// It has its outcome, and cancels nothing more. Remains.
      case ended(Outcome)
    }

    var phase: Phase
    var task: Task<Void, Never>?
    var firstCommit: Int?
    var lastRevision: Int?
    var waitingForOutcome: [CheckedContinuation<Outcome, Never>] = []
    var waitingForCommit: [CheckedContinuation<Int?, Never>] = []
  }

  @usableFromInline final let id: ActionID
  private final let progress: Lock<Progress>

  @usableFromInline final let ending = Atomic(false)

  /// Whether the action has its outcome; set by the owner, read by anybody.
  @inlinable final var hasEnded: Bool { ending.load(ordering: .acquiring) }

  /// Revision of the last commit; 0 before the first.
  ///
  /// *Owner's.*
  @exclusivity(unchecked) @usableFromInline final var lastRevision = 0

  @usableFromInline
  init(id: ActionID, at owner: Combiner) {
    self.id = id
    progress = Lock(Progress(phase: .open(owner)))
    super.init()
  }

  // MARK: For the owner

  /// Notes the first commit of this action, and says what is to be done when the turn is given up.
  ///
  /// *Owner's.*
  final func noteFirstCommit(_ revision: Int) -> Combiner.Work? {
    progress.withLock { progress in
      progress.firstCommit = revision
      let waiting = progress.waitingForCommit
      progress.waitingForCommit = []
      guard !waiting.isEmpty else { return nil }
      return { for continuation in waiting { continuation.resume(returning: revision) } }
    }
  }

  /// Lets nothing of this action be emitted any more; its outcome follows in the same step.
  ///
  /// *Owner's.*
  @inlinable
  final func willEnd() {
    ending.store(true, ordering: .releasing)
  }

  /// Gives the action its outcome, once.
  ///
  /// *Owner's.*
  ///
  /// - Returns: what is to be done when the turn is given up, if anything: receipts are answered, and the task of a run
  ///   that did not end by itself is cancelled.
  @usableFromInline
  final func end(_ outcome: Outcome, cancelsTask: Bool) -> Combiner.Work? {
    let last = lastRevision
    return progress.withLock { progress in
      progress.phase = .ended(outcome)
      if last > 0 { progress.lastRevision = last }
      let task = cancelsTask ? progress.task : nil
      progress.task = nil
      let forOutcome = progress.waitingForOutcome
      let forCommit = progress.waitingForCommit
      progress.waitingForOutcome = []
      progress.waitingForCommit = []
      guard task != nil || !forOutcome.isEmpty || !forCommit.isEmpty else { return nil }
      return {
        for continuation in forOutcome { continuation.resume(returning: outcome) }
        for continuation in forCommit { continuation.resume(returning: nil) }
        task?.cancel()
      }
    }
  }

  // MARK: For the starter

  override final func hasStarted(as task: Task<Void, Never>) {
    let isTooLate = progress.withLock { progress in
      switch progress.phase {
      case .open:
        progress.task = task
        return false
      case .ended(let outcome):
        return outcome.isCut
      }
    }
    if isTooLate { task.cancel() }
  }

  // MARK: For receipts

  final var outcome: Outcome {
    get async {
      await withCheckedContinuation { continuation in
        let outcome: Outcome? = progress.withLock { progress in
          if case .ended(let outcome) = progress.phase { return outcome }
          progress.waitingForOutcome.append(continuation)
          return nil
        }
        if let outcome { continuation.resume(returning: outcome) }
      }
    }
  }

  final var firstCommit: Int? {
    get async {
      await withCheckedContinuation { continuation in
        let answer: Int?? = progress.withLock { progress in
          if let first = progress.firstCommit { return .some(first) }
          if case .ended = progress.phase { return .some(nil) }
          progress.waitingForCommit.append(continuation)
          return .none
        }
        if let answer { continuation.resume(returning: answer) }
      }
    }
  }

  /// Revision of the last commit of an action that has ended.
  final var finalRevision: Int? {
    get async {
      _ = await outcome
      return progress.withLock { $0.lastRevision }
    }
  }

  final func cancel() {
    let owner: Combiner? = progress.withLock { progress in
      if case .open(let owner) = progress.phase { owner } else { nil }
    }
    if let owner { cancel(at: owner) }
  }

  /// Cancels the action at the store it was given to.
  @usableFromInline
  func cancel(at owner: Combiner) {}
}
