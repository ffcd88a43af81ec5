public import Synchronization

/// The part of an action that receipts refer to: its outcome, its commits and its task.
///
/// Receipts and the store share `progress`, which has a lock of its own.
@usableFromInline
package class Ticket: Startable, RunTreeMember, @unchecked Sendable {
  /// The progress of an action, as its receipts see it.
  private struct Progress {
    enum Phase {
      /// Accepted or running. Becomes `ended`.
      case open((any AnyObject & Sendable)?)
      /// The action has its outcome, and cancels nothing more. Remains.
      case ended(Outcome)
    }

    var phase: Phase
    var task: Task<Void, any Error>?
    /// Whether the task is cancelled when the receipts are answered.
    var cancelsTask = false
    /// Whether the journal withholds the outcome, and the first commit.
    var isWithheld = false
    var isFirstCommitWithheld = false
    var firstCommit: Int?
    var lastRevision: Int?
    var waitingForOutcome = Waiting<Outcome>()
    var waitingForCommit = Waiting<Int?>()
    var request = Request.none

    /// The outcome, as soon as it can be seen.
    var visibleOutcome: Outcome? {
      if case .ended(let outcome) = phase, !isWithheld { outcome } else { nil }
    }

    /// The first commit, as soon as it can be seen; inside nil if the action has ended without one.
    var visibleFirstCommit: Int?? {
      if isFirstCommitWithheld { return .none }
      if let firstCommit { return .some(firstCommit) }
      return visibleOutcome == nil ? .none : .some(nil)
    }
  }

  /// The wait of the caller of a request.
  private enum Request {
    /// No caller waits. Becomes `waiting` or `over`.
    case none
    /// A caller waits for the outcome. Becomes `over` when its task is cancelled, and `none` when it is resumed.
    case waiting(UnsafeContinuation<Outcome?, Never>)
    /// The task of the caller was cancelled, so that it does not wait. Remains.
    case over

    var isWaiting: Bool { if case .waiting = self { true } else { false } }

    /// Hands over the continuation of a caller that waits.
    mutating func take(leaving next: Request) -> UnsafeContinuation<Outcome?, Never>? {
      guard case .waiting(let continuation) = self else { return nil }
      self = next
      return continuation
    }
  }

  /// The run that the current task belongs to.
  @usableFromInline static let current = TaskLocal<Ticket?>(wrappedValue: nil)

  @usableFromInline final let id: ActionID

  /// The origin of the action.
  @usableFromInline final let lineage: Lineage?

  /// The number of the store it runs in; 0 before its start, or before a search for requests in a circle meets it.
  @exclusivity(unchecked) @usableFromInline final var store = 0

  private final let progress: Lock<Progress>

  @usableFromInline final let ending = Atomic(false)

  /// Whether the action has its outcome; the lock's holder sets it, any thread reads it.
  @inlinable final var hasEnded: Bool { ending.load(ordering: .acquiring) }

  /// The revision of the first commit; 0 before that.
  final var firstRevision: Int { progress.withLock { $0.firstCommit ?? 0 } }

  /// Whether a task waits for the outcome.
  final var isAwaited: Bool { progress.withLock { !$0.waitingForOutcome.isEmpty } }

  /// The number of mutations it emitted that are queued for a holder and not taken.
  final let queuedEmits = Atomic(0)

  /// Made by the first step of its handlers.
  private final let lazySteps = LazyObject<RunSteps>()

  @usableFromInline
  init(id: ActionID, at owner: (any AnyObject & Sendable)?, lineage: Lineage?) {
    self.id = id
    self.lineage = lineage
    progress = Lock(Progress(phase: .open(owner)))
    super.init()
    lineage?.tree?.add(self)
  }

  // MARK: Steps

  /// The steps of its handlers; nil without one.
  final var madeSteps: RunSteps? { lazySteps.load() }

  /// Keeps the steps if there are none, and returns those that are kept.
  final func makeSteps(_ made: RunSteps) -> RunSteps { lazySteps.storeIfNil(made) }

  // MARK: Causality

  final var runID: RunID { RunID(store: store, action: id) }

  final var root: RunID { lineage?.root ?? runID }

  @usableFromInline final var context: RunContext {
    RunContext(
      run: runID, parent: lineage?.parent, root: root, trace: lineage?.trace,
      inheritsTrace: lineage?.inheritsTrace == true)
  }

  // MARK: For the lock's holder

  /// Sets the number of its store, once: its handler and searches for requests in a circle read it outside of steps.
  @inlinable
  final func setStore(_ number: Int) {
    if store == 0 { store = number }
  }

  /// Records the first commit of this action, and returns whether it is to be answered once the lock is free.
  ///
  /// - Parameters:
  ///   - revision: the revision.
  ///   - isWithheld: whether the journal withholds it, so that it is to be answered in any case.
  @usableFromInline
  final func recordFirstCommit(_ revision: Int, isWithheld: Bool = false) -> Bool {
    progress.withLock { progress in
      guard progress.firstCommit == nil else { return false }
      progress.firstCommit = revision
      progress.isFirstCommitWithheld = isWithheld
      return isWithheld || !progress.waitingForCommit.isEmpty
    }
  }

  /// Ends the emits of this action; its outcome follows in the same step.
  @inlinable
  final func willEnd() {
    ending.store(true, ordering: .releasing)
  }

  /// Ends the action with its outcome, once.
  ///
  /// - Parameters:
  ///   - outcome: the outcome.
  ///   - lastRevision: the revision of the last commit; 0 if there was none.
  ///   - cancelsTask: whether the task is cancelled, because the run did not end by itself.
  ///   - isWithheld: whether the journal withholds the outcome.
  /// - Returns: whether it is to be answered once the lock is free.
  @usableFromInline
  final func end(_ outcome: Outcome, lastRevision: Int, cancelsTask: Bool, isWithheld: Bool = false) -> Bool {
    progress.withLock { progress in
      progress.phase = .ended(outcome)
      progress.isWithheld = isWithheld
      if lastRevision > 0 { progress.lastRevision = lastRevision }
      if !cancelsTask { progress.task = nil }
      progress.cancelsTask = progress.task != nil
      return progress.cancelsTask || !progress.waitingForOutcome.isEmpty || !progress.waitingForCommit.isEmpty
        || progress.request.isWaiting || lineage?.tree != nil
    }
  }

  /// Publishes the first commit: it is durable, or never known to be.
  final func releaseFirstCommit(_ error: (any Error)?) {
    progress.withLock { progress in
      progress.isFirstCommitWithheld = false
      if error != nil { progress.firstCommit = nil }
    }
    answer()
  }

  /// Publishes the outcome: what it depends on is durable, or the journal has failed with this error.
  final func releaseOutcome(_ error: (any Error)?) {
    progress.withLock { progress in
      progress.isWithheld = false
      if let error { progress.phase = .ended(.failed(error)) }
    }
    answer()
  }

  /// Answers the receipts that wait for an outcome or a commit which is known by now, cancels the task of an action that was
  /// ended, and removes an action that has ended from its tree; once the lock is free.
  @usableFromInline
  final func answer() {
    let (outcome, forOutcome, forRequest, first, forCommit, task) = progress.withLock { progress in
      let (outcome, first) = (progress.visibleOutcome, progress.visibleFirstCommit)
      let forOutcome = outcome == nil ? Waiting() : progress.waitingForOutcome.take()
      let forRequest = outcome == nil ? nil : progress.request.take(leaving: .none)
      let forCommit = first == nil ? Waiting() : progress.waitingForCommit.take()
      var cancelled: Task<Void, any Error>?
      if progress.cancelsTask { swap(&cancelled, &progress.task) }
      progress.cancelsTask = false
      return (outcome, forOutcome, forRequest, first ?? nil, forCommit, cancelled)
    }
    if let outcome {
      lineage?.tree?.remove(self)
      forOutcome.resume(returning: outcome)
      forRequest?.resume(returning: outcome)
    }
    forCommit.resume(returning: first)
    task?.cancel()
  }

  // MARK: For the starter

  override final func hasStarted(as task: Task<Void, any Error>) {
    hasStarted(as: task, isCurrent: { true })
  }

  /// Keeps the task, or cancels it when it comes too late.
  ///
  /// - Parameter isCurrent: whether the task is still the one that counts.
  final func hasStarted(as task: Task<Void, any Error>, isCurrent: () -> Bool) {
    let isTooLate = progress.withLock { progress in
      guard isCurrent() else { return true }
      switch progress.phase {
      case .open:
        progress.task = task
        return false
      case .ended(let outcome):
        // A handler that has failed has returned, unless a step has ended its run.
        return !outcome.isFinished
      }
    }
    if isTooLate { task.cancel() }
  }

  /// Returns the work that cancels the task, which follows once the lock is free.
  final func cancelTask() -> CombiningLock.Work? {
    let cancelled: Task<Void, any Error>? = progress.withLock { progress in
      defer { progress.task = nil }
      return progress.task
    }
    guard let cancelled else { return nil }
    return { cancelled.cancel() }
  }

  // MARK: For receipts

  /// The outcome; nil as long as there is none, or a journal holds it back.
  final var outcomeNow: Outcome? {
    progress.withLock { $0.visibleOutcome }
  }

  /// The outcome, which a journal may still hold back; nil as long as there is none.
  @usableFromInline final var decidedOutcome: Outcome? {
    progress.withLock { progress in
      if case .ended(let outcome) = progress.phase { outcome } else { nil }
    }
  }

  final var outcome: Outcome {
    get async {
      await withUnsafeContinuation { continuation in
        let (outcome, owner): (Outcome?, (any AnyObject & Sendable)?) = progress.withLock { progress in
          if let outcome = progress.visibleOutcome { return (outcome, nil) }
          progress.waitingForOutcome.append(continuation)
          if case .open(let owner) = progress.phase { return (nil, owner) }
          return (nil, nil)
        }
        if let outcome { continuation.resume(returning: outcome) }
        if let owner { noticeWait(at: owner) }
      }
    }
  }

  /// The outcome, for the caller of a request; nil as soon as ``endRequest()`` ends the wait.
  @usableFromInline final var outcomeOfRequest: Outcome? {
    get async {
      await withUnsafeContinuation { continuation in
        let answer: Outcome?? = progress.withLock { progress in
          if let outcome = progress.visibleOutcome { return .some(outcome) }
          if case .over = progress.request { return .some(nil) }
          progress.request = .waiting(continuation)
          return .none
        }
        if let answer { continuation.resume(returning: answer) }
      }
    }
  }

  /// Ends the wait of the caller of a request, unless the outcome can be seen; returns whether it did.
  @usableFromInline
  final func endRequest() -> Bool {
    let (isOver, caller) = progress.withLock { progress in
      if progress.visibleOutcome != nil { return (false, nil as UnsafeContinuation<Outcome?, Never>?) }
      let caller = progress.request.take(leaving: .over)
      progress.request = .over
      return (true, caller)
    }
    caller?.resume(returning: nil)
    return isOver
  }

  final var firstCommit: Int? {
    get async {
      await withUnsafeContinuation { continuation in
        let answer: Int?? = progress.withLock { progress in
          if let first = progress.visibleFirstCommit { return .some(first) }
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
    cancel(waits: true)
  }

  /// Cancels the action.
  ///
  /// - Parameter waits: whether it has its outcome when this returns; otherwise it may get it later, and this never waits.
  final func cancel(waits: Bool) {
    let owner: (any AnyObject & Sendable)? = progress.withLock { progress in
      if case .open(let owner) = progress.phase { owner } else { nil }
    }
    if let owner { cancel(at: owner, waits: waits) }
  }

  /// Notifies the clock of the store of a task that waits for the outcome.
  func noticeWait(at owner: any AnyObject & Sendable) {}

  /// The event that the action waits for now; `other` once it has ended, and inside a step of its store.
  final var waitNow: RunWait<Ticket> {
    let owner: (any AnyObject & Sendable)? = progress.withLock { progress in
      if case .open(let owner) = progress.phase { owner } else { nil }
    }
    return owner.map { wait(at: $0) } ?? .other
  }

  /// The event that the action waits for at the store it was given to.
  func wait(at owner: any AnyObject & Sendable) -> RunWait<Ticket> { .other }

  /// The id and the type of the action, for errors.
  var name: String { "\(runID)" }

  /// Cancels the action at the store it was given to.
  @usableFromInline
  func cancel(at owner: any AnyObject & Sendable, waits: Bool) {}
}

/// The continuations of tasks that wait for one answer, in the order in which they came; one alone takes no memory.
private struct Waiting<Answer: Sendable> {
  private var first: UnsafeContinuation<Answer, Never>?
  private var others: [UnsafeContinuation<Answer, Never>] = []

  var isEmpty: Bool { first == nil }

  mutating func append(_ continuation: UnsafeContinuation<Answer, Never>) {
    if first == nil { first = continuation } else { others.append(continuation) }
  }

  /// Hands them over.
  mutating func take() -> Waiting {
    defer { self = Waiting() }
    return self
  }

  func resume(returning answer: Answer) {
    first?.resume(returning: answer)
    for continuation in others { continuation.resume(returning: answer) }
  }
}

/// Reads the answer to a request from the state in which its action finishes, for the caller that waits.
@usableFromInline
typealias AnswerReader<State> = @Sendable (State) -> Void
