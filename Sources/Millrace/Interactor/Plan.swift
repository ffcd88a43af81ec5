/// The terms on which the store handles an action: overlap, limits, pace, deadlines, retries and breaker.
///
/// ``Interactor/plan(for:state:)`` returns one. It begins with an overlap, to which methods add terms:
///
/// ```swift
/// .latest(key: "search").debounce(.milliseconds(300)).timeout(.seconds(5))
/// .serial(key: alert).retry(3, backoff: .exponential()).breaker(Breaker(failures: 5), key: "webhook")
/// ```
///
/// **Order.** The store applies debounce or throttle first, then the overlap with the other actions of the key. Then the
/// interactor decides, and the breaker may refuse the handler. Then the action is taken up, waits for a permit of each limit
/// and a slot, and is handled in one or several attempts. An action that is dropped before its take-up has changed nothing.
/// A plan that contradicts itself does not trap: its action is rejected as ``Rejection/invalidPlan(_:)`` with the first
/// mistake.
///
/// **Keys** are compared together with their types: `1` and `1.0` are two keys. A key belongs to one store, and costs nothing
/// once none of its actions is left. Where the plans of one key differ, the newest plan applies.
///
/// **Time** is measured by ``StoreConfiguration/clock``.
@frozen
public struct Plan: Sendable {
  /// One word; nil is ``concurrent``.
  @usableFromInline var terms: PlanTerms?

  @inlinable
  init(terms: PlanTerms?) {
    self.terms = terms
  }

  /// Inlinable, as are the methods that call it, so that the key's type is known where its box is made.
  @inlinable
  init<Key: Hashable & Sendable>(_ overlap: Overlap, _ key: Key, problem: PlanProblem? = nil) {
    terms = PlanTerms(overlap, PlanKey(key), problem: key == key ? problem : .key)
  }

  /// Whether the store takes the action up at once, whatever other actions do.
  @inlinable var isConcurrent: Bool { terms == nil }

  // MARK: Overlap

  /// Starts the action at once, beside all others; the default.
  @inlinable public static var concurrent: Plan { Plan(terms: nil) }

  /// Runs at most `max` actions of this key at a time; the others wait for their turn, in accepted order.
  ///
  /// A waiting action has not been decided. The turn of a cancelled action is over when its handler has returned.
  /// ``Store/setLimit(_:key:)`` changes the maximum at once.
  @inlinable
  public static func concurrent(max: Int, key: some Hashable & Sendable) -> Plan {
    Plan(.concurrent(max: max), key, problem: max < 1 ? .maximum : nil)
  }

  /// Runs the actions of this key one after the other, in accepted order.
  ///
  /// The turn of a cancelled action is over when its handler has returned.
  @inlinable
  public static func serial(key: some Hashable & Sendable) -> Plan {
    Plan(.concurrent(max: 1), key)
  }

  /// Ends the earlier actions of this key, waiting or running, as ``Outcome/superseded``, and starts the action at once.
  ///
  /// - Parameters:
  ///   - max: The largest number of actions of the key that continue, which are the newest ones, the new action included. By
  ///     default only the new action continues.
  ///   - key: The key that the actions have in common.
  @inlinable
  public static func latest(max: Int = 1, key: some Hashable & Sendable) -> Plan {
    Plan(.latest(max: max), key, problem: max < 1 ? .maximum : nil)
  }

  /// Rejects the action as ``Rejection/exclusive`` while `max` earlier actions of this key have not ended.
  @inlinable
  public static func exclusive(max: Int = 1, key: some Hashable & Sendable) -> Plan {
    Plan(.exclusive(max: max), key, problem: max < 1 ? .maximum : nil)
  }

  /// Joins the action to the shared run of this key and gives it the run's outcome; the first action begins the run.
  ///
  /// An action that is cancelled or times out leaves the run to the others. The run is cancelled when the last action leaves.
  /// Behind a ``serial(key:)`` action of the key, the action joins only a run that was accepted after that action; without
  /// one, its run waits until the serial handler has returned.
  @inlinable
  public static func shared(key: some Hashable & Sendable) -> Plan {
    Plan(.shared, key)
  }

  // MARK: Limits

  /// Handles at most `maximum` actions of this key at a time, whatever their overlaps; the others are taken up and wait.
  ///
  /// ```swift
  /// .serial(key: artifact).limited(to: 8, key: tenant)
  /// ```
  ///
  /// The action gets the turn of its overlap first and is decided then. If the decision asks for `handle`, the action needs a
  /// permit of each of its limits and a slot of the store, and gets them all at the same time; an action that is decided at
  /// once needs none. An action that lacks a permit delays no other. A run keeps its permits over all attempts, until the
  /// action has its outcome and its handlers have returned. The successor in ``latest(max:key:)`` may therefore wait for the
  /// permits of the handler that it replaced. A ``shared(key:)`` run has the limits of its first action.
  ///
  /// Permits of a limit and turns of an overlap are counted separately, even where the keys are equal; one plan must not use
  /// the same key for both. ``Store/setLimit(_:key:)`` changes the maximum at once. A limit that a parent adds to the plan of
  /// its child has the parent's key, so that several children can share it.
  @inlinable
  public consuming func limited(to maximum: Int, key: some Hashable & Sendable) -> Plan {
    limited(to: maximum, PlanKey(key))
  }

  @usableFromInline
  consuming func limited(to maximum: Int, _ key: PlanKey) -> Plan {
    changed { $0.limit(to: maximum, key: key) }
  }

  // MARK: Pace

  /// Delays the action until no other action of its key has arrived for `interval`.
  ///
  /// An action that arrives meanwhile replaces the delayed one, which ends as ``Outcome/superseded``.
  public consuming func debounce(_ interval: Duration) -> Plan {
    changed { terms in
      terms.note(terms.pace == nil ? nil : .pacing)
      terms.note(interval > .zero ? nil : .interval)
      terms.pace = .debounce(interval)
    }
  }

  /// Passes at most one action of its key in each interval.
  ///
  /// - Parameters:
  ///   - interval: The time from the action that passes to the end of the interval.
  ///   - leading: Whether the first action passes at once.
  ///   - trailing: Whether the last action of the interval passes when the interval ends, in which case the actions before it
  ///     end as ``Outcome/superseded``. Otherwise all actions within the interval are rejected as ``Rejection/throttled``.
  public consuming func throttle(_ interval: Duration, leading: Bool = true, trailing: Bool = true) -> Plan {
    changed { terms in
      terms.note(terms.pace == nil ? nil : .pacing)
      terms.note(interval > .zero ? nil : .interval)
      terms.note(leading || trailing ? nil : .throttle)
      terms.pace = .throttle(interval, leading: leading, trailing: trailing)
    }
  }

  /// Begins the turns of its key at least `interval` apart, and drops no action.
  ///
  /// Applies to ``serial(key:)`` and ``concurrent(max:key:)``, whose actions wait for their turn. The action waits in accepted
  /// order and undecided, and occupies the waiting room. It is taken up when the turns before it are over and `interval` has
  /// passed since the last turn began. Debounce and throttle apply before.
  public consuming func spacing(_ interval: Duration) -> Plan {
    changed { terms in
      terms.note(interval > .zero ? nil : .interval)
      terms.spacing = interval
    }
  }

  // MARK: Time

  /// Ends the action as ``Outcome/timedOut`` when `timeout` has passed since its acceptance, waiting and attempts included.
  ///
  /// For an action that is handled again, it has passed since the take-up, by ``StoreConfiguration/wallTime``.
  public consuming func timeout(_ timeout: Duration) -> Plan {
    changed { terms in
      terms.note(timeout > .zero ? nil : .timeout)
      terms.timeout = timeout
    }
  }

  /// Abandons each attempt that lasts longer than `timeout`.
  ///
  /// Another attempt follows if the plan allows it; otherwise the action ends as ``Outcome/timedOut``. A handler that ignores
  /// its cancellation may still run when the next attempt begins; the store commits nothing of it.
  public consuming func attemptTimeout(_ timeout: Duration) -> Plan {
    changed { terms in
      terms.note(timeout > .zero ? nil : .timeout)
      terms.attemptTimeout = timeout
    }
  }

  /// Starts the handler on the given thread in each attempt, whatever ``StoreConfiguration/handlersStart`` says.
  ///
  /// A handler that computes should start ``StoreConfiguration/HandlerStart/onPool``, so that the sender does not wait for it.
  public consuming func starting(_ start: StoreConfiguration.HandlerStart) -> Plan {
    changed { $0.start = start }
  }

  // MARK: Failure

  /// Starts another attempt after one whose sequence throws or that is given up.
  ///
  /// Each attempt calls `handle` again, with the newest state, the same ``Run/idempotencyKey`` and the next ``Run/attempt``.
  /// Mutations that a failed attempt committed stay committed. An error that conforms to ``RetryAfter`` sets the delay before
  /// the next attempt.
  ///
  /// - Parameters:
  ///   - attempts: The largest number of attempts, the first one included.
  ///   - isRetryable: Returns whether another attempt may follow an error; nil allows one after every error. The task of the
  ///     handler calls it once for each error that the handler throws before the last attempt, without the store's lock, so
  ///     that the closure may take time and may send to the store. An attempt that ``attemptTimeout(_:)`` gives up has thrown
  ///     no error, and another one follows without a call. A breaker does not ask the closure: ``Breaker`` has its own.
  ///   - backoff: The delay between attempts, during which the run keeps its turn, its permits and its slot.
  ///   - jitter: The part of the delay that may be left out at random, from 0 (nothing) to 1 (all).
  ///   - budget: The number of further attempts that the runs of the key may make together; nil sets no limit.
  ///   - afterCommits: Whether another attempt may follow one that has committed a mutation.
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

  /// Rejects actions that ask for `handle` as ``Rejection/breakerOpen`` while the breaker of the key is open.
  ///
  /// The store asks the breaker between `decide` and its commits: a refused action has changed nothing and gets no closing, and
  /// an action that is decided at once passes. The store asks again after a wait for permits or a slot; an action refused then
  /// gets its closing. Before each further attempt it asks once more; if the breaker is open, the action ends with its last
  /// error.
  ///
  /// - Parameters:
  ///   - breaker: The terms on which the breaker opens, and for how long.
  ///   - key: The key of the breaker; nil is the plan's own.
  public consuming func breaker(_ breaker: Breaker = Breaker(), key: (any Hashable & Sendable)? = nil) -> Plan {
    changed { $0.set(breaker, key: key.map { PlanKey($0) }) }
  }

  /// Sets how a restored store treats the action's run after a crash of the process; it abandons the run by default.
  ///
  /// It has no effect without a journal.
  public consuming func recovery(_ recovery: Recovery) -> Plan {
    changed { $0.recovery = recovery }
  }

  // MARK: Metrics

  /// Names the plan in the text of ``Metrics/openMetrics(prefix:labels:adding:)``.
  ///
  /// The text then has, for each name, the numbers of actions that run, that wait for a slot or a permit, and that a breaker
  /// refused, and the breakers that are not closed. No metric contains a key, because keys may name users. The first 100 names of a store
  /// have figures of their own; further names are summed as `other`. The times of their runs say which of them is stuck:
  /// ``OpenRun/isStuck``.
  public consuming func named(_ name: String) -> Plan {
    changed { $0.name = name }
  }

  // MARK: Composition

  /// The plan of a child in its parent: each of its keys is prefixed with the child's position, and the action is for the children that
  /// the parent says.
  @inlinable
  @inline(__always)
  consuming func within(
    _ scope: @autoclosure () -> PlanKey, _ children: ([LifetimeCondition]) -> [LifetimeCondition]
  ) -> Plan {
    guard let terms else { return self }
    return keyed(within: scope(), for: children(terms.children))
  }

  @usableFromInline
  @inline(never)
  consuming func keyed(within scope: PlanKey, for children: [LifetimeCondition]) -> Plan {
    guard terms?.hasKey == true || !children.isEmpty else { return self }
    return changed {
      $0.put(within: scope)
      $0.bind(to: children)
    }
  }

  /// The same plan for an action of these children.
  @inlinable
  consuming func bound(to children: @autoclosure () -> [LifetimeCondition]) -> Plan {
    terms == nil ? self : bound(toAll: children())
  }

  @usableFromInline
  @inline(never)
  consuming func bound(toAll children: [LifetimeCondition]) -> Plan {
    changed { $0.bind(to: children) }
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
