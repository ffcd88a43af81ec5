/// What an action needs beside its run while it has a plan, or waits.
///
/// All of it is the owner's.
@usableFromInline
final class Course<I: Interactor>: Linked, Placed {
  /// Where an action waits.
  enum Queue {
    /// Nowhere.
    case none
    /// For the end of its debounce or throttle; its key holds it.
    case pace
    /// For a place of its key.
    case turn
    /// For a slot.
    case slot
    /// For the run that it has joined.
    case flight
  }

  /// Whoever works with this holds the run as well.
  unowned let run: ActiveRun<I>

  /// What the plan says; nil for an action that only waits for a slot.
  let terms: PlanTerms?

  /// How an action is taken up and an attempt is begun, written where all types are known.
  let takeUp: (Runner<I>, ActiveRun<I>) -> Void
  let beginAttempt: Startable.Begin

  /// Counts the planned actions of a store in accepted order.
  var order = 0
  var acceptedAt: Instant = 0

  /// The key it meets others at, from when it does; and its place among the key's live ones.
  var record: KeyRecord<I>?
  var place: Int?

  /// The key that holds it while it is debounced or throttled.
  var holder: KeyRecord<I>?

  /// Where it waits, and its neighbours in the room of all that wait.
  var queue = Queue.none
  @usableFromInline var previous: Course?
  @usableFromInline var following: Course?

  /// When the action times out.
  var timeout: Timer?

  /// When the attempt times out, or the next one is due.
  var pause: Timer?

  /// The newest attempt, if there may be several.
  var attempt: Attempt<I>?

  /// The last revision before the first attempt.
  var revisionAtTakeUp = 0

  /// The key whose breaker let it pass, and whether as its probe.
  var breaker: KeyRecord<I>?
  var isProbe = false

  /// Whether the breaker was told that the newest attempt failed.
  var isFailureCounted = false

  /// Those that share this run, if it is one that is shared; no receipt refers to it then.
  var members = LinkedList<ActiveRun<I>>()
  var isFlight = false

  /// The run that is shared, for those that share it, and whether this action began it.
  var flight: ActiveRun<I>?
  var isFirstMember = false

  @inlinable
  convenience init(_ run: ActiveRun<I>, terms: PlanTerms?) {
    self.init(run, terms: terms) { runner, run in
      runner.decideAndFollow(run)
    } beginAttempt: { start, immediately in
      let attempt = unsafeDowncast(start, to: Attempt<I>.self)
      let (run, runner) = (attempt.run, attempt.runner)
      return immediately
        ? Task.immediateDetached { await Ticket.current.withValue(run) { await runner.execute(attempt) } }
        : Task.detached { await Ticket.current.withValue(run) { await runner.execute(attempt) } }
    }
  }

  @usableFromInline
  init(
    _ run: ActiveRun<I>, terms: PlanTerms?, takeUp: @escaping (Runner<I>, ActiveRun<I>) -> Void,
    beginAttempt: @escaping Startable.Begin
  ) {
    self.run = run
    self.terms = terms
    self.takeUp = takeUp
    self.beginAttempt = beginAttempt
  }
}
