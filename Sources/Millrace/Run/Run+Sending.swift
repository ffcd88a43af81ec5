extension Run {
  /// Gives the store another action, sent by this run; never suspends and never waits for the action.
  ///
  /// **Order.** The action is accepted behind everything this run emitted and sent before, unless a plan or a limit makes it
  /// wait. It is a run of its own: it has its own plan, its own receipt and its own outcome, and goes on when this run ends.
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
  /// **Backpressure.** The limits of the store apply; beyond them the action is rejected as ``Rejection/full``.
  ///
  /// **Errors.** None: how the action ended is the receipt's ``Receipt/outcome``. It is ``Rejection/notSent(_:)`` too in the
  /// run of a child whose scope has no ``Scope/action(_:)``, which the store also reports as
  /// ``Incident/Kind/missingAction``, and in an effect that is iterated outside a store.
  @inlinable
  @discardableResult
  public func send(_ action: I.Action) -> Receipt {
    switch place {
    case .store(let core, let run): core.send(action, from: RunSender(run, nil))
    case .attempt(let attempt): attempt.core.send(action, from: RunSender(attempt.run, attempt))
    case .apart(let apart): apart.send(action)
    }
  }

  /// Gives the store another action, sent by this run, and returns when the store has accepted or rejected it.
  ///
  /// **Order, lineage, isolation.** As ``send(_:)``.
  ///
  /// **Backpressure.** Suspends until the store's lock comes to the action, not until there is room: a run that waited for room
  /// could wait for itself. Beyond the limits the action is rejected as ``Rejection/full``.
  ///
  /// **Cancellation.** Cancelling the task ends the wait, and the action was never accepted. After the end of this run, or of
  /// its attempt, the action is rejected as ``Rejection/notSent(_:)``.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before the action was accepted. How the action ends is no error
  ///   of this but the receipt's ``Receipt/outcome``.
  @inlinable
  @discardableResult
  public func submit(_ action: I.Action) async throws -> Receipt {
    switch place {
    case .store(let core, let run): try await core.submit(action, from: RunSender(run, nil))
    case .attempt(let attempt): try await attempt.core.submit(action, from: RunSender(attempt.run, attempt))
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
    switch place {
    case .store(let core, let run): core.refuse(reason, from: run)
    case .attempt(let attempt): attempt.core.refuse(reason, from: attempt.run)
    case .apart(let apart): apart.environment.refuse(reason)
    }
  }
}

/// The run, or the attempt of it, that sends an action.
@usableFromInline
@frozen
struct RunSender<I: Interactor>: Sendable {
  @usableFromInline let run: ActiveRun<I>
  @usableFromInline let attempt: Attempt<I>?

  @inlinable
  init(_ run: ActiveRun<I>, _ attempt: Attempt<I>?) {
    self.run = run
    self.attempt = attempt
  }

  /// The reason why it sends no more, or nil while it runs.
  var ending: String? {
    if run.hasEnded {
      return "The run that sent it had ended; send it before the handler returns, and return when `emit` answers false."
    }
    guard attempt?.isOver == true else { return nil }
    return "The attempt that sent it was given up; heed the cancellation of the task, and send it in the next attempt."
  }
}

extension Receipt {
  /// The receipt of an action that there was no store for.
  init(notSent reason: String) {
    let ticket = Ticket(id: .refused(0), at: nil, lineage: nil)
    ticket.willEnd()
    _ = ticket.end(.rejected(.notSent(reason)), lastRevision: 0, cancelsTask: false)
    self.init(ticket)
  }
}
