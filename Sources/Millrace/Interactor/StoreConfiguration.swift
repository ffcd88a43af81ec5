/// What a store is given besides its interactor and its state.
public struct StoreConfiguration: Sendable {
  private struct Choice: Sendable {
    var clock: any Clock<Duration> = ContinuousClock()
    var random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    var limits = StoreLimits.standard
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

  /// What jitter and idempotency keys are drawn from; the system's by default, one with a seed in tests.
  ///
  /// The store draws from a copy of its own. So stores that are given the same seed have the same keys; to keep them
  /// apart, give each a seed of its own, or all of them one generator that is a class.
  public var random: any RandomNumberGenerator & Sendable {
    get { choice.random }
    set { choice.random = newValue }
  }

  /// How much the store takes on.
  public var limits: StoreLimits {
    get { box?.choice.limits ?? .standard }
    set { choice.limits = newValue }
  }

  /// What is told of failures that nobody handles, and of mistakes in plans; by default one line on standard error.
  ///
  /// **Order and isolation.** It is called on whichever thread meets the incident, one call at a time or several, never with
  /// the store's lock; it may send to the store.
  public var report: @Sendable (Incident) -> Void {
    get { choice.report }
    set { choice.report = newValue }
  }

  /// What looks on at the stores that are made with this; nil but in a simulation.
  @usableFromInline package var witness: (any StoreWitness)? {
    get { box?.choice.witness }
    set { choice.witness = newValue }
  }

  /// Makes a configuration; an argument that is nil has the default of its property.
  ///
  /// - Parameters:
  ///   - clock: the clock that everything timed in the store goes by; see ``clock``.
  ///   - random: the source of jitter and idempotency keys; see ``random``.
  ///   - limits: how much the store takes on; see ``limits``.
  ///   - report: called with each failure that is handled nowhere and each mistake in the interactor; see ``report``.
  public init(
    clock: (any Clock<Duration>)? = nil, random: (any RandomNumberGenerator & Sendable)? = nil,
    limits: StoreLimits? = nil, report: (@Sendable (Incident) -> Void)? = nil
  ) {
    if let clock { self.clock = clock }
    if let random { self.random = random }
    if let limits { self.limits = limits }
    if let report { self.report = report }
  }
}
