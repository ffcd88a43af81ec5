/// Nanoseconds since the origin of a store's clock.
@usableFromInline
package typealias Instant = Int64

extension Duration {
  /// The duration in whole nanoseconds, rounded up, so that nothing is due too early.
  ///
  /// At least 0, and at most a quarter of what fits, about 73 years, so that a few can be added to an instant.
  package var nanoseconds: Int64 {
    let longest = Int64.max / 4
    let all = attoseconds
    guard all > 0 else { return 0 }
    // Up to 18 seconds fit in one word, whose division takes a tenth of the time.
    if let few = UInt64(exactly: all) {
      let (whole, rest) = few.quotientAndRemainder(dividingBy: 1_000_000_000)
      return Int64(whole) + (rest > 0 ? 1 : 0)
    }
    // Compared first, for the components of the longest durations trap.
    guard self < .nanoseconds(longest) else { return longest }
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + (attoseconds + 999_999_999) / 1_000_000_000
  }
}
