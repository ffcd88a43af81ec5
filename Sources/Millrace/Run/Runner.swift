import Synchronization

/// Takes up actions, runs them and gives them their outcomes; a store's one machine.
///
/// It is its committer and its combiner at once, so that a store is two objects. The store holds it; so does each handler
/// that has not returned, for as long as that may ask for the state.
@usableFromInline
final class Runner<I: Interactor>: Committer<I>, @unchecked Sendable {
  /// What becomes of an action that reaches its take-up.
  enum Admission {
    /// It is taken up.
    case open
    /// It ends with this outcome, untouched: it was accepted before all such were cut.
    case cutting(Outcome)
    /// It is rejected.
    case shut
  }

  @usableFromInline let configuration: StoreConfiguration

  /// How many actions were taken up at once, and how many were left for an owner.
  @exclusivity(unchecked) @usableFromInline var takenAtOnce = 0
  private let left = Atomic(0)

  @exclusivity(unchecked) private var admission = Admission.open
  @exclusivity(unchecked) @usableFromInline var runs = RunList<I>()

  @usableFromInline
  init(state: I.State, interactor: I, configuration: StoreConfiguration) {
    self.configuration = configuration
    super.init(state: state, interactor: interactor)
  }

  // MARK: Accepting

  /// A ticket for an action that is left for the owner of the turn.
  @usableFromInline
  func ticket(for action: I.Action) -> ActiveRun<I> {
    let count = left.add(1, ordering: .relaxed).newValue
    return ActiveRun(id: .left(count), action: action, runner: self)
  }

  /// The id of an action that is taken up at once.
  ///
  /// *Owner's.*
  @inlinable
  func nextID() -> ActionID {
    takenAtOnce &+= 1
    return .takenAtOnce(takenAtOnce)
  }

  /// Whether an action that was accepted may be taken up; if not, it has its outcome.
  ///
  /// *Owner's.*
  @usableFromInline
  func admits(_ run: ActiveRun<I>) -> Bool {
    if run.hasEnded { return false }
    switch admission {
    case .open: return true
    case .cutting(let outcome): end(run, outcome)
    case .shut: end(run, .rejected(.shuttingDown))
    }
    return false
  }

  // MARK: Running

  /// Starts a run of an action that was taken up, once the turn is given up.
  ///
  /// *Owner's.*
  @inlinable
  func start(_ run: ActiveRun<I>) {
    runs.append(run)
    run.runner = self
    run.begin = { start, immediately in
      let run = unsafeDowncast(start, to: ActiveRun<I>.self)
      let runner = run.takeRunner()
      return immediately
        ? Task.immediateDetached { await runner.execute(run) } : Task.detached { await runner.execute(run) }
    }
    startAfterLeaving(run)
  }

  /// Commits a mutation of a run.
  ///
  /// *Owner's.*
  @inlinable
  func commit(_ mutation: I.Mutation, of run: ActiveRun<I>) {
    commit(mutation)
    if run.lastRevision == 0 { noteFirstCommit(of: run) }
    run.lastRevision = revision
  }

  @usableFromInline
  func noteFirstCommit(of run: ActiveRun<I>) {
    if let answer = run.noteFirstCommit(revision) { afterLeaving(answer) }
  }

  /// Gives an action its outcome, unless it has one: closes it if it was taken up, and counts it no more.
  ///
  /// *Owner's.*
  ///
  /// - Parameter asksClosing: whether the interactor is asked for a closing mutation; not when the store was released.
  @inlinable
  func end(_ run: ActiveRun<I>, _ outcome: Outcome, asksClosing: Bool = true) {
    if run.hasEnded { return }
    run.willEnd()
    if asksClosing, run.isTakenUp, !outcome.isFinished,
      let mutation = interactor.closing(run.action, outcome: outcome)
    {
      commit(mutation, of: run)
    }
    runs.remove(run)
    if let answer = run.end(outcome, cancelsTask: outcome.isCut) { afterLeaving(answer) }
  }

  // MARK: Cutting

  /// Ends everything accepted so far with this outcome.
  ///
  /// *Owner's.*
  private func cutAll(_ outcome: Outcome, asksClosing: Bool = true) {
    while let run = runs.popFirst() { end(run, outcome, asksClosing: asksClosing) }
    let before = admission
    admission = .cutting(outcome)
    performLeftWork()
    admission = before
  }

  /// Ends one action as cancelled before this returns.
  func cancel(_ run: ActiveRun<I>) {
    performUrgently { self.end(run, .cancelled) }
  }

  /// Ends everything accepted so far as cancelled before this returns.
  @usableFromInline
  func cancelAll() {
    performUrgently { self.cutAll(.cancelled) }
  }

  /// Ends everything, takes no more actions and lets the observers end after the last state.
  @usableFromInline
  func shutDown() {
    performUrgently { self.shut(asksClosing: true) }
  }

  /// Does what is left to do when nobody holds the store any more.
  @usableFromInline
  func release() {
    if tryEnter() {
      let isIdle = runs.isEmpty && board == nil
      if isIdle { isOpen = false }  // For sequences that are iterated while a handler that was cut holds the runner.
      leave()
      if isIdle { return }
    }
    performUrgently { self.shut(asksClosing: false) }
  }

  private func shut(asksClosing: Bool) {
    guard isOpen else { return }
    cutAll(.shutDown, asksClosing: asksClosing)
    admission = .shut
    close()
  }
}
