/// The events that a scheduler is told, and the actions and steps that it answers.
extension Scheduler {
  @usableFromInline
  enum Event {
    /// An action with a plan was accepted; or one that was taken up before the store was restored, and is handled again, with the time
    /// since its take-up.
    case arrived(Handle, isRestored: Bool = false, age: Instant = 0)
    /// The mutations that an action was decided to commit are committed.
    case decided(Handle, Verdict)
    /// A handler has returned; with the number of its attempt, if there may be several, the advice of its error, and whether the error is a
    /// failure of the gateway.
    case returned(
      Handle, attempt: Int?, Outcome, hasCommitted: Bool, RetryAdvice = .byPlan, countsForBreaker: Bool = true)
    /// An attempt was given up because its time was over.
    case gaveUp(Handle, hasCommitted: Bool)
    /// The time before the next attempt was drawn.
    case drawn(Handle, Duration)
    /// An action ends from outside.
    case end(Handle, Outcome)
    /// All actions of a key end, or all there are. A key is large, so that it would make each event large.
    indirect case endKey(PlanKey, Outcome)
    case endAll(Outcome, asksClosing: Bool)
    /// The number of turns and of permits of a key, whatever the plans say.
    indirect case limit(Int?, PlanKey)
    /// A shutdown begins with a drain that ends at an instant at the latest; the handle is that of a run that asked for it.
    case drain(until: Instant, caller: Handle?)
    /// The handler of a run begins or ends to wait for a stored time or for a state.
    case resting(Handle, Bool)
    /// Nothing is accepted any more, and nothing is open.
    case close
  }

  /// The decision on an action, as far as the scheduler needs it.
  @usableFromInline
  enum Verdict {
    /// Also raised for an action that waited in the line of recovery, when its turn has come.
    case handles
    /// The action is handled again, and waits for its turn in the line of recovery.
    case awaitsRecovery
    case ends(Outcome)
    /// The action is not taken up and has changed nothing: ``Scheduler/refusal(of:)`` is not nil, or its child is missing.
    case refused(Rejection)
  }

  @usableFromInline
  enum Action {
    /// Decide the action, commit what is known of it, and raise `decided`.
    case decide(Handle)
    /// Make the record of a run that several actions share, of which this is the first.
    case share(Handle, run: Handle)
    /// The action shares a run that others began.
    case join(Handle, run: Handle)
    /// Begin the one handler of a run, or that of an attempt.
    case start(Handle, attempt: Int?)
    /// A run that has given its slot back has one again, so its handler may continue.
    case resume(Handle)
    /// Let nothing more of the attempt be committed, cancel its task, and raise `gaveUp`.
    case giveUp(Handle)
    /// Draw the time before the next attempt, with the delay that an error asked for, and raise `drawn`. Its terms are large, and
    /// would make each action large.
    indirect case draw(Handle, PlanTerms.Retry, after: Int, Duration?)
    /// Give the action its outcome; before that ask for its closing mutation, if `asksClosing`.
    case settle(Handle, Outcome, asksClosing: Bool)
    /// Nothing names the action any more.
    case forget(Handle)
  }

  /// A step that was due.
  @usableFromInline
  enum DueStep {
    /// Its actions stand in `actions`.
    case actions
    /// There may be room for an action whose submit is suspended.
    case admission
    /// The shutdown may be over, if nothing more is open.
    case drained
    /// The shutdown is over, for its time is.
    case drainEnd
  }
}
