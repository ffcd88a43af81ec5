/// The configuration of a store: clock, randomness, limits, and the reports of incidents.
public struct StoreConfiguration: Sendable {
  private struct Choice: Sendable {
    var clock: any Clock<Duration> = ContinuousClock()
    var wallTime: (@Sendable () -> Int64)?
    var random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    var limits = Limits.standard
    var handlersStart = HandlerStart.onSender
    var report: @Sendable (Incident) -> Void = writeToStandardError
    var witness: (any StoreWitness)?
  }

  private final class Box: Sendable {
    let choice: Choice

    init(_ choice: Choice) {
      self.choice = choice
    }
  }

  /// One word, for there may be many stores; nil is the defaults.
  ///
  /// The choices themselves take 184 bytes, a third of what an idle store takes.
  private var box: Box?

  private var choice: Choice {
    get { box?.choice ?? Choice() }
    set { box = Box(newValue) }
  }

  /// The clock that everything timed in the store goes by; a `ContinuousClock` by default, a test clock in tests.
  public var clock: any Clock<Duration> {
    get { choice.clock }
    set { choice.clock = newValue }
  }

  /// The wall time, in milliseconds since 1970, for times that are stored: those of ``Timers`` and of a journal.
  ///
  /// By default it is that of a test clock if ``clock`` is one, and the system's otherwise. It is called on any thread, also with the
  /// store's lock, and may go back, as the system's does when it is set.
  public var wallTime: @Sendable () -> Int64 {
    get { choice.wallTime ?? (choice.clock as? any WallTimeClock)?.wallTime ?? WallTime.now }
    set { choice.wallTime = newValue }
  }

  /// The source of randomness for jitter and idempotency keys; the system's by default, a seeded one in tests.
  ///
  /// The store draws from a copy of its own. So stores that are given the same seed have the same keys; to keep them
  /// apart, give each a seed of its own, or all of them one generator that is a class.
  public var random: any RandomNumberGenerator & Sendable {
    get { choice.random }
    set { choice.random = newValue }
  }

  /// The limits of the store.
  public var limits: Limits {
    get { box?.choice.limits ?? .standard }
    set { choice.limits = newValue }
  }

  /// The thread on which handlers start, unless a plan says otherwise; ``StoreConfiguration/HandlerStart/onSender`` by default.
  ///
  /// Set it to ``StoreConfiguration/HandlerStart/onPool`` for an interactor whose handlers compute.
  public var handlersStart: HandlerStart {
    get { box?.choice.handlersStart ?? .onSender }
    set { choice.handlersStart = newValue }
  }

  /// Receives unhandled failures and mistakes in plans; by default each is one line on standard error.
  ///
  /// **Order and isolation.** It is called on whichever thread meets the incident, one call at a time or several, never with
  /// the store's lock; it may send to the store.
  public var report: @Sendable (Incident) -> Void {
    get { choice.report }
    set { choice.report = newValue }
  }

  /// The witness of the stores that are made with this configuration; nil outside of a simulation.
  @usableFromInline package var witness: (any StoreWitness)? {
    get { box?.choice.witness }
    set { choice.witness = newValue }
  }

  /// Creates a configuration; an argument that is nil has the default of its property.
  ///
  /// - Parameters:
  ///   - clock: the clock that everything timed in the store goes by; see ``clock``.
  ///   - random: the source of jitter and idempotency keys; see ``random``.
  ///   - limits: the limits of the store; see ``limits``.
  ///   - handlersStart: where a handler starts; see ``handlersStart``.
  ///   - report: called with each failure that is handled nowhere and each mistake in the interactor; see ``report``.
  ///   - wallTime: the wall time in milliseconds since 1970; see ``wallTime``.
  public init(
    clock: (any Clock<Duration>)? = nil, random: (any RandomNumberGenerator & Sendable)? = nil,
    limits: Limits? = nil, handlersStart: HandlerStart? = nil, report: (@Sendable (Incident) -> Void)? = nil,
    wallTime: (@Sendable () -> Int64)? = nil
  ) {
    if let clock { self.clock = clock }
    if let wallTime { self.wallTime = wallTime }
    if let random { self.random = random }
    if let limits { self.limits = limits }
    if let handlersStart { self.handlersStart = handlersStart }
    if let report { self.report = report }
  }
}

extension StoreConfiguration {
  /// The thread that a handler starts on: it calls `handle`, and runs the effect's closure up to the first suspension.
  ///
  /// After its first suspension every handler is on the pool, which has one thread for each core. This is about handlers only: the
  /// thread that sends or emits calls `plan`, `decide`, `reduce` and `closing`, or another sender that does its work.
  public enum HandlerStart: Sendable, Hashable, CaseIterable {
    /// The handler starts on the thread that lets it start, and stays there up to its first suspension.
    ///
    /// That is the sender's thread if the action waits for nothing. Where two send at once, it may be the other's. For an action that
    /// has waited, and for a further attempt, it is the thread that ends the wait. So a handler that suspends nowhere has returned
    /// when `send` returns, without a change of threads; one that blocks or computes keeps the sender, and all handlers that are
    /// due behind it, until it suspends.
    case onSender

    /// The handler starts on a thread of the pool, and no sender waits for any part of it.
    ///
    /// Handlers may start in another order than their actions were accepted in. Each start costs a change of threads. A handler
    /// that blocks takes one of the few threads of the pool.
    case onPool
  }
}

extension StoreConfiguration {
  /// The limits of a store, which bound its memory whatever is sent to it.
  ///
  /// An action that is decided at once needs none of this. Values below their minimum are taken as the minimum.
  public struct Limits: Sendable, Hashable {
    package var runsInFlight: Int
    package var actionsWaiting: Int
    package var queuedActions: Int
    package var runsResting: Int
    package var onOverflow: Overflow

    /// Creates limits, with the defaults for omitted parameters.
    ///
    /// - Parameters:
    ///   - runsInFlight: the number of runs that may have a handler out at a time, ended ones whose handlers have not returned
    ///     included; from 1 to 2,147,483,647.
    ///   - actionsWaiting: the number of actions that may wait: for a slot, for the turn of their key, or for the time of their plan;
    ///     at least 0.
    ///   - queuedActions: the number of actions that may be left for the thread that has the store's lock; at least 1. Past it new
    ///     ones are rejected, whatever the policy. Threads that send faster than the store reduces are slowed down long before that.
    ///   - runsResting: the number of runs that may rest without a slot: their handlers sleep or wait in steps that are stored. Those that have
    ///     ended meanwhile and whose handlers have not returned count, too. Past it a sleep keeps its slot. At least 0, with which each does.
    ///   - onOverflow: the policy for an action that has no room to wait.
    public init(
      runsInFlight: Int = 4_096, actionsWaiting: Int = 16_384, queuedActions: Int = 65_536, runsResting: Int = 65_536,
      onOverflow: Overflow = .reject
    ) {
      self.runsInFlight = Limits.runs(runsInFlight)
      self.actionsWaiting = max(actionsWaiting, 0)
      self.queuedActions = max(queuedActions, 1)
      self.runsResting = max(runsResting, 0)
      self.onOverflow = onOverflow
    }

    private static func runs(_ count: Int) -> Int {
      min(max(count, 1), Int(Int32.max))
    }

    /// The defaults.
    package static let standard = Limits()
  }
}

extension StoreConfiguration {
  /// The choice of the action to reject when an action has to wait and the waiting room is full.
  ///
  /// The rejected action ends as ``Rejection/full(_:)``, with its closing mutation if it was taken up.
  public enum Overflow: Sendable, Hashable, CaseIterable {
    /// Rejects the new action, before anything that was decided for it is committed.
    case reject

    /// Rejects the action that has waited longest.
    case dropOldest

    /// Rejects the action that began to wait last.
    case dropNewest

    /// Rejects the newest waiting action of the limit key that has the most waiting actions, so that no key fills the room alone.
    ///
    /// An action belongs to the key of the first ``Plan/limited(to:key:)`` of its plan; actions without a limit count as one key.
    /// The new action is counted with its own key, and is rejected if that key would have the most.
    case dropNewestOfFullestKey
  }
}

/// A witness of the stores of a configuration, whatever their types: the world of a simulation.
///
/// It changes nothing of the way that actions go.
@usableFromInline
package protocol StoreWitness: Sendable {
  /// Called once, when a store is made.
  ///
  /// - Parameters:
  ///   - cancelAll: cancels all that the store has accepted; it does not hold the store.
  ///   - openActions: the actions that have not ended; it does not hold the store.
  func storeMade(cancelAll: @escaping @Sendable () -> Void, openActions: @escaping @Sendable () -> [OpenAction])

  /// Called when a store is to have a number, once for each; gives one below 0, or nil for one among those of the process.
  func numberStore() -> Int?

  /// Called after each commit, with the store's lock.
  ///
  /// - Parameter identity: the object that ``Store/identity`` gives.
  func committed<I: Interactor>(
    _ mutation: I.Mutation, revision: Int, state: I.State, identity: AnyObject, of interactor: I.Type)

  /// Called in the task of a handler, before that is called; gives a number for ``handlerReturned(_:)``.
  func handlerBegins<I: Interactor>(_ action: I.Action, of interactor: I.Type) -> Int

  /// Called in the task of a handler when it has returned, and all that it gave was committed.
  func handlerReturned(_ number: Int)
}
