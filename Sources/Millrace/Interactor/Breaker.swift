/// When to leave a gateway alone that keeps failing.
///
/// A *closed* breaker lets all actions pass. When `failures` attempts in a row have failed, none further apart than
/// `within`, it opens: actions are rejected as ``Rejection/breakerOpen``, and no further attempts are made. After `openFor`
/// it is *half-open*: it lets one action through, whose success closes it and whose failure opens it again.
///
/// A thrown error and a timeout are failures; what was cancelled or superseded counts as neither.
public struct Breaker: Sendable, Hashable {
  /// How many failures in a row open it.
  public let failures: Int

  /// How far apart two failures may be to count as being in a row.
  public let within: Duration

  /// How long it stays open.
  public let openFor: Duration

  /// A breaker that opens after `failures` failures in a row, for `openFor`.
  public init(failures: Int = 5, within: Duration = .seconds(60), openFor: Duration = .seconds(30)) {
    self.failures = failures
    self.within = within
    self.openFor = openFor
  }
}
