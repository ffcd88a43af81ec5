/// What a store is given besides its interactor and its state.
public struct StoreConfiguration: Sendable {
  private final class Chosen: Sendable {
    let clock: any Clock<Duration>

    init(clock: any Clock<Duration>) {
      self.clock = clock
    }
  }

  /// One word, for there may be many stores; nil is the default.
  private var chosen: Chosen?

  /// The clock that everything timed in the store goes by; a `ContinuousClock` by default, a test clock in tests.
  public var clock: any Clock<Duration> {
    get { chosen?.clock ?? ContinuousClock() }
    set { chosen = Chosen(clock: newValue) }
  }

  /// The defaults.
  public init() {}

  /// The defaults with a clock.
  public init(clock: any Clock<Duration>) {
    chosen = Chosen(clock: clock)
  }
}
