public import Synchronization

/// The part of an action that receipts refer to: its outcome, its commits and its task.
///
/// Receipts and the store share `progress`, which has a lock of its own.
@usableFromInline
package class Ticket: Startable, @unchecked Sendable {
  /// The progress of an action, as its receipts see it.
  private struct Progress {
    enum Phase {
      /// Accepted or running. Becomes `ended`.
      case open((any AnyObject & Sendable)?)
      /// It has its outcome, and cancels nothing more. Remains.
      case ended(Outcome)
    }

    var phase: Phase
    var task: Task<Void, Never>?
    var firstCommit: Int?
    var lastRevision: Int?
    var waitingForOutcome: [UnsafeContinuation<Outcome, Never>] = []
    var waitingForCommit: [UnsafeContinuation<Int?, Never>] = []
  }

  /// The run that the current task belongs to.
  @usableFromInline static let current = TaskLocal<Ticket?>(wrappedValue: nil)

  @usableFromInline final let id: ActionID

  /// The origin of the action.
  @usableFromInline final let lineage: Lineage?

  /// The number of the store it runs in; 0 before its start.
  @exclusivity(unchecked) @usableFromInline final var store = 0

  private final let progress: Lock<Progress>

  @usableFromInline final let ending = Atomic(false)

  /// Whether the action has its outcome; the lock's holder sets it, any thread reads it.
  @inlinable final var hasEnded: Bool { ending.load(ordering: .acquiring) }

  /// The revision of the first commit; 0 before that.
  final var firstRevision: Int { progress.withLock { $0.firstCommit ?? 0 } }

  /// The number of mutations it emitted that are queued for a holder and not taken.
  final let queuedEmits = Atomic(0)

  @usableFromInline
  init(id: ActionID, at owner: (any AnyObject & Sendable)?, lineage: Lineage?) {
    self.id = id
    self.lineage = lineage
    progress = Lock(Progress(phase: .open(owner)))
    super.init()
  }

  // MARK: Causality

  final var runID: RunID { RunID(store: store, action: id) }

  final var root: RunID { lineage?.root ?? runID }

  @usableFromInline final var context: RunContext {
    RunContext(
      run: runID, parent: lineage?.parent, root: root, trace: lineage?.trace,
      inheritsTrace: lineage?.inheritsTrace == true)
  }

  // MARK: For the lock's holder

  /// Records the first commit of this action, and returns the work that follows once the lock is free.
  final func recordFirstCommit(_ revision: Int) -> CombiningLock.Work? {
    progress.withLock { progress in
      guard progress.firstCommit == nil else { return nil }
      progress.firstCommit = revision
      let waiting = progress.waitingForCommit
      progress.waitingForCommit = []
      guard !waiting.isEmpty else { return nil }
      return { for continuation in waiting { continuation.resume(returning: revision) } }
    }
  }

  /// Lets nothing of this action be emitted any more; its outcome follows in the same step.
  @inlinable
  final func willEnd() {
    ending.store(true, ordering: .releasing)
  }

  /// Gives the action its outcome, once.
  ///
  /// - Parameters:
  ///   - outcome: the outcome.
  ///   - lastRevision: the revision of the last commit; 0 if there was none.
  ///   - cancelsTask: whether the task is cancelled, because the run did not end by itself.
  /// - Returns: the work that follows once the lock is free, if any: receipts are answered, and the task is cancelled.
  @usableFromInline
  final func end(_ outcome: Outcome, lastRevision: Int, cancelsTask: Bool) -> CombiningLock.Work? {
    progress.withLock { progress in
      progress.phase = .ended(outcome)
      if lastRevision > 0 { progress.lastRevision = lastRevision }
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
    hasStarted(as: task, isCurrent: { true })
  }

  /// Keeps the task, or cancels it when it comes too late.
  ///
  /// - Parameter isCurrent: whether the task is still the one that counts.
  final func hasStarted(as task: Task<Void, Never>, isCurrent: () -> Bool) {
    let isTooLate = progress.withLock { progress in
      guard isCurrent() else { return true }
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

  /// Returns the work that cancels the task, which follows once the lock is free.
  final func cancelTask() -> CombiningLock.Work? {
    let cancelled: Task<Void, Never>? = progress.withLock { progress in
      defer { progress.task = nil }
      return progress.task
    }
    guard let cancelled else { return nil }
    return { cancelled.cancel() }
  }

  // MARK: For receipts

  /// The outcome, or nil as long as there is none.
  final var outcomeNow: Outcome? {
    progress.withLock { progress in
      if case .ended(let outcome) = progress.phase { outcome } else { nil }
    }
  }

  final var outcome: Outcome {
    get async {
      await withUnsafeContinuation { continuation in
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
      await withUnsafeContinuation { continuation in
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
    let owner: (any AnyObject & Sendable)? = progress.withLock { progress in
      if case .open(let owner) = progress.phase { owner } else { nil }
    }
    if let owner { cancel(at: owner) }
  }

  /// Cancels the action at the store it was given to.
  @usableFromInline
  func cancel(at owner: any AnyObject & Sendable) {}
}

/// The origin of an action that comes from a run or with a trace; ids only, so that a chain of runs holds nothing.
@usableFromInline
package final class Lineage: Sendable {
  @usableFromInline let parent: RunID?
  @usableFromInline let root: RunID?
  @usableFromInline let trace: TraceContext?

  /// Whether the trace is the parent's.
  let inheritsTrace: Bool

  private init(parent: RunID?, root: RunID?, trace: TraceContext?, inheritsTrace: Bool) {
    self.parent = parent
    self.root = root
    self.trace = trace
    self.inheritsTrace = inheritsTrace
  }

  /// The lineage of an action that is sent now, from this task.
  @usableFromInline
  static func ofSender(trace: TraceContext? = nil) -> Lineage? {
    guard let sender = Ticket.current.get() else { return without(sender: trace) }
    return of(sender, trace: trace)
  }

  /// The lineage of an action that this run sends.
  @usableFromInline
  static func of(_ sender: Ticket, trace: TraceContext? = nil) -> Lineage {
    let inherited = sender.lineage?.trace
    return Lineage(
      parent: sender.runID, root: sender.root, trace: trace ?? inherited,
      inheritsTrace: trace == nil || trace == inherited)
  }

  /// The lineage of an action that comes from no run.
  @usableFromInline
  static func without(sender trace: TraceContext?) -> Lineage? {
    trace.map { Lineage(parent: nil, root: nil, trace: $0, inheritsTrace: false) }
  }
}

extension RunContext {
  /// The context of the run whose handler this task is in, or nil.
  ///
  /// It is a task-local value, so it holds in child tasks and in an unstructured `Task` of the handler, not in a detached one.
  public static var current: RunContext? { Ticket.current.get()?.context }
}
