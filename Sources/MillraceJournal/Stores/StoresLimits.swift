/// The limits of many stores, which bound their memory however many keys there are.
public struct StoresLimits: Sendable {
  /// The number of keys that may be in memory at once; 10,000 by default.
  public var live: Int

  /// The time without a use after which an idle key hibernates, on the clock of the stores; 60 seconds by default.
  public var idle: Duration

  /// The number of keys that may be opened at once; 64 by default.
  public var opening: Int

  /// The number of keys that may wait for their opening; 10,000 by default.
  ///
  /// The actions and the calls of further keys are rejected as `Rejection.full`.
  public var waiting: Int

  /// Creates limits; numbers below their least value are taken as that.
  ///
  /// - Parameters:
  ///   - live: The number of keys in memory, from 1.
  ///   - idle: The time without a use, from zero.
  ///   - opening: The number of keys that are opened at once, from 1.
  ///   - waiting: The number of keys that wait for their opening, from 0.
  public init(live: Int = 10_000, idle: Duration = .seconds(60), opening: Int = 64, waiting: Int = 10_000) {
    self.live = max(live, 1)
    self.idle = max(idle, .zero)
    self.opening = max(opening, 1)
    self.waiting = max(waiting, 0)
  }
}

/// The counts of a `Stores` since it was opened.
struct StoresTally: Sendable {
  var opened = 0
  var failed = 0
  var hibernated = 0
  var refused = 0
}
