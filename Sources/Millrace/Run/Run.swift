/// The access of an effect's closure to its store: it emits mutations, and reads the state that they lead to.
public struct Run<I: Interactor>: Sendable, RunEnvironment {
  /// The target of the commits; two words, because it is copied often.
  @usableFromInline
  @frozen
  enum Backing: Sendable {
    /// Straight into a store.
    case store(StoreCore<I>, ActiveRun<I>)
    /// Into a store, as long as the attempt lasts.
    case attempt(Attempt<I>)
    /// Into something else: a state of its own, or the run of a parent.
    case apart(ForwardedRun<I>)
  }

  @usableFromInline let backing: Backing

  @usableFromInline
  init(of run: ActiveRun<I>, at core: StoreCore<I>) {
    backing = .store(core, run)
  }

  @usableFromInline
  init(of attempt: Attempt<I>) {
    backing = .attempt(attempt)
  }

  @inlinable
  init(_ apart: ForwardedRun<I>) {
    backing = .apart(apart)
  }

  /// Commits a mutation.
  ///
  /// **Order.** Mutations commit in the order of the calls. Where another thread has the store's lock, the mutation is queued
  /// for that thread and this returns at once. May be called from any task, also from several.
  ///
  /// **Backpressure.** A run that has queued 1,024 mutations for others commits them itself before it continues.
  ///
  /// - Returns: false once the run has ended, or its attempt was given up, and the mutation changed nothing; it is a good
  ///   time to return then.
  @inlinable
  @discardableResult
  public func emit(_ mutation: I.Mutation) -> Bool {
    emit(mutation, through: nil)
  }

  /// Commits a mutation that the run of a child emitted, or this run itself if there is no child.
  @inlinable
  @inline(__always)
  func emit(_ mutation: I.Mutation, through child: RemovableChild?) -> Bool {
    switch backing {
    case .store(let core, let run): core.emit(mutation, of: run, through: child)
    case .attempt(let attempt): attempt.core.emit(mutation, of: attempt, through: child)
    case .apart(let apart): apart.emit(mutation, child)
    }
  }

  /// The newest state, with everything in it that this run emitted before.
  ///
  /// It does not wait for other handlers. When the store has been released it is the last state there was.
  ///
  /// **Lifetime.** Nothing keeps the state but the caller. While the caller keeps it, the next commit copies the parts that it changes.
  ///
  /// - Throws: `CancellationError` in the run of a child that was removed, which has ended as ``Outcome/cancelled``; never in another
  ///   run. That the run has ended otherwise, or that its task is cancelled, is no error.
  @inlinable
  public var state: I.State {
    get async throws {
      switch backing {
      case .store(let core, _): await core.read().state
      case .attempt(let attempt): await attempt.core.read().state
      case .apart(let apart): try await apart.state()
      }
    }
  }

  /// The id of the action that is handled; its sender has it as ``Receipt/id``.
  public var id: ActionID {
    switch backing {
    case .store(_, let run): run.id
    case .attempt(let attempt): attempt.run.id
    case .apart(let apart): apart.environment.id
    }
  }

  /// The number of this attempt, counted from 1; above 1 only if the action's ``Plan`` has a retry.
  @inlinable public var attempt: Int {
    switch backing {
    case .store: 1
    case .attempt(let attempt): attempt.number
    case .apart(let apart): apart.environment.attempt
    }
  }

  /// A text that is the same for all attempts at this action, and for no other action of any store of the journal: for gateways that do
  /// the same request only once.
  ///
  /// It is made of the names of the log and of the key that the sender gave, or that the store has made, as ``Step/idempotencyKey`` is,
  /// but for the name of a step: `6.orders/2.17/7.request`. Without a journal it is a key that the store has made.
  public var idempotencyKey: String { key.textOfRun }

  /// The store's clock: sleep and measure by it, and a test can replace it by a test clock.
  public var clock: any Clock<Duration> {
    switch backing {
    case .store(let core, _): core.configuration.clock
    case .attempt(let attempt): attempt.core.configuration.clock
    case .apart(let apart): apart.environment.clock
    }
  }

  /// The time until this attempt is out of time, for gateways to pass on; nil if the plan has no timeout.
  ///
  /// It ends with the earlier of the action's ``Plan/timeout(_:)``, which began when the action was accepted, and the attempt's
  /// ``Plan/attemptTimeout(_:)``, and is zero from then on. Actions that share a run each have a timeout of their own, so such a
  /// run has only the time of its attempt. In an effect outside a store it is nil.
  ///
  /// **Order and isolation.** Measured on ``clock`` at each call, on any thread, without waiting for the store.
  public var timeRemaining: Duration? {
    switch backing {
    case .store(let core, let run): core.timeRemaining(until: run.launch.deadline)
    case .attempt(let attempt): attempt.core.timeRemaining(until: attempt.deadline)
    case .apart(let apart): apart.environment.timeRemaining
    }
  }

  /// The context of the run, as ``RunContext/current`` has it inside the handler; nil for an effect outside a store.
  public var context: RunContext? {
    switch backing {
    case .store(_, let run): run.context
    case .attempt(let attempt): attempt.run.context
    case .apart(let apart): apart.environment.context
    }
  }

  /// Ends the run as cancelled with the commit after which a condition does not hold.
  ///
  /// It is asked for if the run is not bound to the child. It lasts until the run ends. The first condition of another attempt replaces those of the attempts before.
  ///
  /// - Returns: the child; nil if the condition does not hold of the newest state, or if the run or its attempt has ended. The run
  ///   has its outcome then.
  @inlinable
  func endWhen(
    _ path: ChildPath, notHolding condition: @escaping @Sendable () -> LifetimeCondition
  ) async -> ExistingChild? {
    switch backing {
    case .store(let core, let run): await core.endRun(run, nil, path, whenNotHolding: condition)
    case .attempt(let attempt): await attempt.core.endRun(attempt.run, attempt, path, whenNotHolding: condition)
    case .apart(let apart): await apart.endWhen(path, condition)
    }
  }
}

extension Run {
  /// Sends another action to the store, as one of this run; never suspends and never waits for the action.
  ///
  /// **Order.** The action is accepted behind everything this run emitted and sent before, unless a plan or a limit makes it
  /// wait. It is a run of its own: it has its own plan, its own receipt and its own outcome, and continues when this run ends.
  ///
  /// **Lineage.** This run is the ``RunContext/parent`` of the action's run, from whichever task this is called, and passes its
  /// trace on. During the drain of ``Store/shutdown(drainFor:)`` the store still accepts it.
  ///
  /// **Isolation.** As ``Store/send(_:)``: this thread may decide and reduce the action, and run its handler up to the first
  /// suspension. The action passes the store's interceptors.
  ///
  /// **Cancellation.** Cancelling this run does not cancel actions that were accepted before. Once this run has ended, or its
  /// attempt was given up, actions are rejected as ``Rejection/notSent(_:)``; so is one that was sent before that and had not
  /// been accepted yet, because another thread had the store's lock.
  ///
  /// **Backpressure.** The limits of the store apply; beyond them the action is rejected as ``Rejection/full(_:)``.
  ///
  /// **Errors.** None: how the action ended is the receipt's ``Receipt/outcome``. It is ``Rejection/notSent(_:)`` too in the
  /// run of a child whose scope has no ``SingleChildScope/action(_:)``, which the store also reports as
  /// ``Incident/Kind/missingAction``, and in an effect that is iterated outside a store.
  @inlinable
  @discardableResult
  public func send(_ action: I.Action) -> Receipt {
    switch backing {
    case .store(let core, let run): core.send(Submission(action, from: RunSender(run, nil)))
    case .attempt(let attempt): attempt.core.send(Submission(action, from: RunSender(attempt.run, attempt)))
    case .apart(let apart): apart.send(action)
    }
  }

  /// Sends another action to the store, as one of this run, and returns when the store has accepted or rejected it.
  ///
  /// **Order, lineage, isolation.** As ``send(_:)``.
  ///
  /// **Backpressure.** Suspends until the store's lock comes to the action, not until there is room: a run that waited for room
  /// could wait for itself. Beyond the limits the action is rejected as ``Rejection/full(_:)``.
  ///
  /// **Cancellation.** Cancelling the task ends the wait, and the action was never accepted. After the end of this run, or of
  /// its attempt, the action is rejected as ``Rejection/notSent(_:)``.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before the action was accepted. How the action ends is no error
  ///   of this but the receipt's ``Receipt/outcome``.
  @inlinable
  @discardableResult
  public func submit(_ action: I.Action) async throws -> Receipt {
    switch backing {
    case .store(let core, let run): try await core.submit(Submission(action, from: RunSender(run, nil)))
    case .attempt(let attempt): try await attempt.core.submit(Submission(action, from: RunSender(attempt.run, attempt)))
    case .apart(let apart): try await apart.submit(action)
    }
  }

  /// Sends a child's action as the one that `action` makes of it; an error it throws rejects the action.
  ///
  /// Not inlinable, nor is ``submit(_:as:)``: each level of children would have a copy of all that accepting an action takes,
  /// which doubles what a release build of a deep tree costs.
  @usableFromInline
  func send<Part>(_ part: Part, as action: (Part) throws -> I.Action) -> Receipt {
    do { return send(try action(part)) } catch { return refuse("\(error)") }
  }

  /// Submits a child's action as the one that `action` makes of it; an error it throws rejects the action.
  @usableFromInline
  func submit<Part>(_ part: Part, as action: (Part) throws -> I.Action) async throws -> Receipt {
    let whole: I.Action
    do { whole = try action(part) } catch { return refuse("\(error)") }
    return try await submit(whole)
  }

  /// Rejects an action that this run cannot send, for the reason that the sentence gives.
  @usableFromInline
  func refuse(_ reason: String) -> Receipt {
    switch backing {
    case .store(let core, let run): core.refuse(reason, from: run)
    case .attempt(let attempt): attempt.core.refuse(reason, from: attempt.run)
    case .apart(let apart): apart.environment.refuse(reason)
    }
  }
}

/// The run as the environment of its steps, and of those of its children.
extension Run {
  @usableFromInline var key: RunKey {
    switch backing {
    case .store(let core, let run): core.runKey(of: run)
    case .attempt(let attempt): attempt.core.runKey(of: attempt.run)
    case .apart(let apart): apart.environment.key
    }
  }

  @inlinable var isCut: Bool {
    switch backing {
    case .store(_, let run): run.hasEnded
    case .attempt(let attempt): attempt.isOver || attempt.run.hasEnded
    case .apart(let apart): apart.environment.isCut
    }
  }

  @inlinable var mayRepeat: Bool {
    switch backing {
    case .store: false
    case .attempt: true
    case .apart(let apart): apart.environment.mayRepeat
    }
  }

  @inlinable var steps: RunSteps {
    switch backing {
    case .store(_, let run): run.steps
    case .attempt(let attempt): attempt.run.steps
    case .apart(let apart): apart.environment.steps
    }
  }

  @inlinable var stepCoder: (any StepCoder)? {
    switch backing {
    case .store(_, let run): run.takenUp?.coder
    case .attempt(let attempt): attempt.run.takenUp?.coder
    case .apart(let apart): apart.environment.stepCoder
    }
  }

  @usableFromInline
  func wallTime() -> Int64 {
    switch backing {
    case .store(let core, _): core.configuration.wallTime()
    case .attempt(let attempt): attempt.core.configuration.wallTime()
    case .apart(let apart): apart.environment.wallTime()
    }
  }

  @usableFromInline
  func waitUntilDurable(position: Int) async -> (any Error)? {
    switch backing {
    case .store(let core, _): await core.gate?.waitUntilDurable(position: position)
    case .attempt(let attempt): await attempt.core.gate?.waitUntilDurable(position: position)
    case .apart(let apart): await apart.environment.waitUntilDurable(position: position)
    }
  }

  @usableFromInline
  func waitForRoom() async {
    switch backing {
    case .store(let core, _): await core.gate?.waitForRoom()
    case .attempt(let attempt): await attempt.core.gate?.waitForRoom()
    case .apart(let apart): await apart.environment.waitForRoom()
    }
  }

  @usableFromInline var stepSinks: StepSinks? {
    switch backing {
    case .store(let core, let run): core.stepSinks(of: run)
    case .attempt(let attempt): attempt.core.stepSinks(of: attempt.run, attempt: attempt.number)
    case .apart(let apart): apart.environment.stepSinks
    }
  }

  @usableFromInline
  func restBegins() {
    switch backing {
    case .store(let core, let run): core.restBegins(of: run, nil)
    case .attempt(let attempt): attempt.core.restBegins(of: attempt.run, attempt)
    case .apart(let apart): apart.environment.restBegins()
    }
  }

  @usableFromInline
  func takeSlotAgain() async {
    switch backing {
    case .store(let core, let run): await core.takeSlotAgain(for: run, nil)
    case .attempt(let attempt): await attempt.core.takeSlotAgain(for: attempt.run, attempt)
    case .apart(let apart): await apart.environment.takeSlotAgain()
    }
  }

  @usableFromInline
  func endRun(failing error: any Error) async {
    switch backing {
    case .store(let core, let run): await core.endRun(run, failing: error)
    case .attempt(let attempt): await attempt.core.endRun(attempt.run, failing: error)
    case .apart(let apart): await apart.environment.endRun(failing: error)
    }
  }

  @usableFromInline
  func endRunLater(failing error: any Error) {
    switch backing {
    case .store(let core, let run): core.perform { $0.fail(run, error, at: core) }
    case .attempt(let attempt): attempt.core.perform { $0.fail(attempt.run, error, at: attempt.core) }
    case .apart(let apart): apart.environment.endRunLater(failing: error)
    }
  }

  /// Commits the result of a step with its mutations, and calls the completion when that is durable; returns false once the run has ended.
  @usableFromInline
  func commitStep(_ step: StepCommit, _ mutations: [I.Mutation], through child: RemovableChild?) -> Bool {
    switch backing {
    case .store(let core, let run): core.commitStep(step, mutations, of: run, nil, through: child)
    case .attempt(let attempt): attempt.core.commitStep(step, mutations, of: attempt.run, attempt, through: child)
    case .apart(let apart): apart.commitStep(step, mutations, child)
    }
  }

  /// Returns when a condition holds of the state.
  @usableFromInline
  func waitForState(_ condition: @escaping @Sendable (I.State) -> Bool) async throws {
    switch backing {
    case .store(let core, _): try await core.waitForState(condition)
    case .attempt(let attempt): try await attempt.core.waitForState(condition)
    case .apart(let apart): try await apart.waitFor(condition)
    }
  }
}

extension Receipt {
  /// The receipt of an action that there was no store for.
  init(notSent reason: String) {
    self = .refused(.notSent(reason))
  }
}
