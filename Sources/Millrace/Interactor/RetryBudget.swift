/// How many attempts more than one the runs of a key may make together, so that a gateway that is down is not hit harder.
///
/// It is a bucket of tokens: each further attempt takes one, and time brings them back. When it is empty the run ends with
/// the error it has.
public struct RetryBudget: Sendable, Hashable {
  /// How many tokens there are at first, and at most.
  public let capacity: Int

  /// How long it takes for one token to come back.
  public let refill: Duration

  /// A budget of `capacity` further attempts at once, and one more for every `refill`.
  public init(capacity: Int, refill: Duration) {
    self.capacity = capacity
    self.refill = refill
  }
}
