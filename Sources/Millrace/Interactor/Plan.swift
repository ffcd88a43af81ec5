/// How an action meets others and time: what ``Interactor/plan(for:state:)`` answers.
///
/// A plan is an overlap, and what is added to it:
///
/// ```swift
/// .latest(key: "search").debounce(.milliseconds(300)).timeout(.seconds(5))
/// .serial(key: alert).retry(3, backoff: .exponential()).breaker(Breaker(failures: 5), key: "webhook")
/// ```
///
/// **The order of things.** An action is debounced or throttled first; then it meets the others of its key; then it is
/// decided, and its breaker may refuse to let it be handled; then it is taken up, waits for permits of its limits and a slot,
/// and is handled in one attempt or several. What is dropped before its take-up has changed nothing. A plan that contradicts itself traps nowhere: its action is rejected as ``Rejection/invalidPlan(_:)``, with
/// its first mistake.
///
/// **Keys** are compared together with their types: `1` and `1.0` are two. They belong to one store, and cost nothing once
/// no action of theirs is left. Where plans differ on one key, the newest decides.
///
/// **Time** is that of ``StoreConfiguration/clock``.
@frozen
public struct Plan: Sendable {
  /// One word; nil is ``concurrent``.
  @usableFromInline var terms: PlanTerms?

  @inlinable
  init(terms: PlanTerms?) {
    self.terms = terms
  }

  private init<Key: Hashable & Sendable>(_ overlap: Overlap, _ key: Key, problem: PlanProblem? = nil) {
    terms = PlanTerms(overlap, PlanKey(key), problem: key == key ? problem : .key)
  }

  /// Whether the action is taken up at once, whatever else goes on.
  @inlinable var isConcurrent: Bool { terms == nil }

  // MARK: Overlap

  /// The action starts at once, beside all others; the default.
  @inlinable public static var concurrent: Plan { Plan(terms: nil) }

  /// At most `max` actions of this key are in flight; the others wait for their turn, in accepted order.
  ///
  /// An action that waits has not been decided. The place of one that was cancelled is free when its handler has returned.
  /// ``Store/setLimit(_:for:)`` changes the maximum at once.
  public static func concurrent(max: Int, key: some Hashable & Sendable) -> Plan {
    Plan(.concurrent(max: max), key, problem: max < 1 ? .maximum : nil)
  }

  /// Actions of this key are handled one after the other, in accepted order.
  ///
  /// The turn of one that was cancelled is over when its handler has returned.
  public static func serial(key: some Hashable & Sendable) -> Plan {
    Plan(.concurrent(max: 1), key)
  }

  /// The action ends earlier ones of this key, waiting or running, as ``Outcome/superseded``, and starts at once.
  ///
  /// - Parameters:
  ///   - max: how many actions of the key go on at most, the new one included: the newest ones. By default that is the new one
  ///     alone.
  ///   - key: what actions that meet have in common.
  public static func latest(max: Int = 1, key: some Hashable & Sendable) -> Plan {
    Plan(.latest(max: max), key, problem: max < 1 ? .maximum : nil)
  }

  /// The action is rejected as ``Rejection/exclusive`` as long as `max` earlier ones of this key have not ended.
  public static func exclusive(max: Int = 1, key: some Hashable & Sendable) -> Plan {
    Plan(.exclusive(max: max), key, problem: max < 1 ? .maximum : nil)
  }

  /// The action joins the one of this key that is in flight, and has its outcome; the first one is the one that is handled.
  ///
  /// A receipt that is cancelled or times out leaves the run to the others; the run is cancelled when the last has gone.
  public static func shared(key: some Hashable & Sendable) -> Plan {
    Plan(.shared, key)
  }

  // MARK: Limits

  /// At most `maximum` actions of this key are handled at once, whatever their overlaps; the others wait, taken up.
  ///
  /// ```swift
  /// .serial(key: artifact).limited(to: 8, key: tenant)
  /// ```
  ///
  /// The turn of the overlap's key comes first, and `decide` with it. If that asks for `handle`, the action needs a permit of each
  /// of its limits and a slot of the store, and gets them all at once; what is decided at once needs none. An action that
  /// lacks one holds up no other. Permits are kept over all attempts, and are free when the action has its outcome and its
  /// handlers have returned: so what ``latest(max:key:)`` starts may wait for those of the handler that it replaces. A
  /// ``shared(key:)`` run has the limits of its first action.
  ///
  /// The permits of a limit and the turns of an overlap are counted apart, also where the keys are equal; in one plan that is
  /// invalid. ``Store/setLimit(_:for:)`` changes the maximum at once. A limit that a parent adds to the plan of its child has
  /// the parent's key, so that several children may share it.
  public consuming func limited(to maximum: Int, key: some Hashable & Sendable) -> Plan {
    changed { $0.limit(to: maximum, key: PlanKey(key)) }
  }

  // MARK: Pace

  /// The action waits until so long no other one of its key has come; one that is replaced ends as ``Outcome/superseded``.
  public consuming func debounce(_ interval: Duration) -> Plan {
    changed { terms in
      terms.note(terms.pace == nil ? nil : .pacing)
      terms.note(interval > .zero ? nil : .interval)
      terms.pace = .debounce(interval)
    }
  }

  /// At most one action of its key passes in each interval.
  ///
  /// - Parameters:
  ///   - interval: begins with the action that passes.
  ///   - leading: whether the first action passes at once.
  ///   - trailing: whether the last action of the interval passes when that is over. Those before it end as
  ///     ``Outcome/superseded``. Otherwise all are rejected as ``Rejection/throttled``.
  public consuming func throttle(_ interval: Duration, leading: Bool = true, trailing: Bool = true) -> Plan {
    changed { terms in
      terms.note(terms.pace == nil ? nil : .pacing)
      terms.note(interval > .zero ? nil : .interval)
      terms.note(leading || trailing ? nil : .throttle)
      terms.pace = .throttle(interval, leading: leading, trailing: trailing)
    }
  }

  /// The turns of its key begin at least so far apart; no action is dropped for it.
  ///
  /// For plans whose actions wait for their turn: ``serial(key:)`` and ``concurrent(max:key:)``. An action waits as for its turn, in
  /// accepted order and undecided, and needs room for that. It is taken up when the turns before it are over and `interval` has
  /// passed since the last one began. A debounce or throttle comes before it.
  public consuming func spacing(_ interval: Duration) -> Plan {
    changed { terms in
      terms.note(interval > .zero ? nil : .interval)
      terms.spacing = interval
    }
  }

  // MARK: Time

  /// The action ends as ``Outcome/timedOut`` so long after it was accepted: over waiting and over all its attempts.
  public consuming func timeout(_ timeout: Duration) -> Plan {
    changed { terms in
      terms.note(timeout > .zero ? nil : .timeout)
      terms.timeout = timeout
    }
  }

  /// Each attempt is given up after so long: another follows if the plan allows it, otherwise the action ends as
  /// ``Outcome/timedOut``.
  ///
  /// A handler that ignores its cancellation may still be there when the next attempt begins; nothing of it is committed.
  public consuming func attemptTimeout(_ timeout: Duration) -> Plan {
    changed { terms in
      terms.note(timeout > .zero ? nil : .timeout)
      terms.attemptTimeout = timeout
    }
  }

  /// The handler starts there, in all attempts, whatever ``StoreConfiguration/handlersStart`` says.
  ///
  /// A handler that computes starts ``HandlerStart/onPool``, so that it does not keep the sender.
  public consuming func starting(_ start: HandlerStart) -> Plan {
    changed { $0.start = start }
  }

  // MARK: Failure

  /// An attempt that throws out of its sequence, or is given up, is followed by another one.
  ///
  /// Each attempt calls `handle` anew, with the newest state, the same ``Run/idempotencyKey`` and the next ``Run/attempt``.
  /// What a failed attempt has committed stays committed.
  ///
  /// An error that is a ``RetryAfter`` says itself how long the run rests before the next attempt.
  ///
  /// - Parameters:
  ///   - attempts: how many are made at most, the first one included.
  ///   - isRetryable: returns whether another attempt may follow an error; nil allows one after every error. The task of the
  ///     handler calls it once for each error that the handler throws before the last attempt, without the store's lock, so that
  ///     it may take its time and may send to the store. An attempt that ``attemptTimeout(_:)`` gives up has thrown no error, and
  ///     is followed by another one unasked. A breaker counts the error whatever this returns.
  ///   - backoff: how long the run rests between them; it keeps its turn and its slot meanwhile.
  ///   - jitter: which part of the rest may be taken away at random: from 0, nothing, to 1, all.
  ///   - budget: how many further attempts all runs of the key may make together; nil is as many as they like.
  ///   - afterCommits: whether another attempt follows when one has committed something.
  public consuming func retry(
    _ attempts: Int, if isRetryable: (@Sendable (any Error) -> Bool)? = nil, backoff: Backoff = .exponential(),
    jitter: Double = 0.5, budget: RetryBudget? = nil, afterCommits: Bool = false
  ) -> Plan {
    changed { terms in
      terms.note(attempts >= 1 ? nil : .attempts)
      terms.note(backoff.problem)
      terms.note(jitter >= 0 && jitter <= 1 ? nil : .jitter)
      if let budget { terms.note(budget.capacity >= 1 && budget.refill > .zero ? nil : .budget) }
      terms.retry = PlanTerms.Retry(
        attempts: attempts, isRetryable: isRetryable, backoff: backoff, jitter: jitter, budget: budget,
        afterCommits: afterCommits)
    }
  }

  /// Actions that ask for `handle` are rejected as ``Rejection/breakerOpen`` while the breaker of the plan's key is open.
  ///
  /// The breaker is asked between `decide` and its commits: what it refuses has changed nothing and gets no closing, and what
  /// is decided at once passes. It is asked again when the action has waited for permits or a slot since, and then the action gets its
  /// closing; and before each further attempt, in place of which the action ends with its last error.
  public consuming func breaker(_ breaker: Breaker = Breaker()) -> Plan {
    changed { $0.set(breaker, key: nil) }
  }

  /// Actions that ask for `handle` are rejected as ``Rejection/breakerOpen`` while the breaker of this key is open.
  ///
  /// It is asked as a ``breaker(_:)`` of the plan's own key is.
  public consuming func breaker(_ breaker: Breaker = Breaker(), key: some Hashable & Sendable) -> Plan {
    changed {
      $0.note(key == key ? nil : .key)
      $0.set(breaker, key: PlanKey(key))
    }
  }

  /// What becomes of the action's run if the process crashes; ``Recovery/abandon`` by default.
  public consuming func recovery(_ recovery: Recovery) -> Plan {
    changed { $0.recovery = recovery }
  }

  // MARK: Composition

  /// The plan of a child in its parent: all its keys have the child's place before them.
  @inlinable
  @inline(__always)
  consuming func within(_ scope: @autoclosure () -> PlanKey) -> Plan {
    terms == nil ? self : keyed(within: scope())
  }

  @usableFromInline
  @inline(never)
  consuming func keyed(within scope: PlanKey) -> Plan {
    terms?.hasKey == true ? changed { $0.put(within: scope) } : self
  }

  private consuming func changed(_ change: (PlanTerms) -> Void) -> Plan {
    if terms == nil {
      terms = PlanTerms(nil, nil)
    } else if !isKnownUniquelyReferenced(&terms) {
      terms = terms.map { PlanTerms(copying: $0) }
    }
    if let terms { change(terms) }
    return self
  }
}
