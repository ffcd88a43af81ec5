/// Nanoseconds since the origin of a store's clock.
@usableFromInline
package typealias Instant = Int64

extension Duration {
  /// The duration in whole nanoseconds, rounded up, so that nothing is due too early.
  ///
  /// At least 0, and at most a quarter of what fits, about 73 years, so that a few can be added to an instant.
  package var nanoseconds: Int64 {
    let longest = Int64.max / 4
    guard self > .zero else { return 0 }
    // Compared first, for the components of the longest durations trap.
    guard self < .nanoseconds(longest) else { return longest }
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + (attoseconds + 999_999_999) / 1_000_000_000
  }
}
