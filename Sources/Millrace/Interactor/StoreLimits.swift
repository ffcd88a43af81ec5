/// How much a store takes on, so that its memory stays bounded whatever is sent to it.
///
/// An action that is decided at once needs none of this. Values below their minimum are taken as the minimum.
public struct StoreLimits: Sendable, Hashable {
  /// How many runs may have a handler out at a time, ended ones whose handlers have not returned included.
  ///
  /// From 1 to 2,147,483,647; by default 4,096.
  public var runsInFlight: Int {
    didSet { runsInFlight = StoreLimits.runs(runsInFlight) }
  }

  /// How many actions may wait: for a slot, for the turn of their key, or for the time of their plan.
  ///
  /// At least 0; by default 16,384.
  public var actionsWaiting: Int {
    didSet { actionsWaiting = max(actionsWaiting, 0) }
  }

  /// How many actions may be left for the thread that has the store's lock.
  ///
  /// At least 1; by default 65,536. Past it new ones are rejected, whatever the policy. Threads that send faster than the store
  /// reduces are slowed down long before that.
  public var queuedActions: Int {
    didSet { queuedActions = max(queuedActions, 1) }
  }

  /// What happens when one more action has to wait than may; by default ``OverflowPolicy/reject``.
  public var onOverflow: OverflowPolicy

  /// Limits, with the defaults for those that are left out.
  public init(
    runsInFlight: Int = 4_096, actionsWaiting: Int = 16_384, queuedActions: Int = 65_536,
    onOverflow: OverflowPolicy = .reject
  ) {
    self.runsInFlight = StoreLimits.runs(runsInFlight)
    self.actionsWaiting = max(actionsWaiting, 0)
    self.queuedActions = max(queuedActions, 1)
    self.onOverflow = onOverflow
  }

  private static func runs(_ count: Int) -> Int {
    min(max(count, 1), Int(Int32.max))
  }

  /// The defaults.
  public static let standard = StoreLimits()
}
