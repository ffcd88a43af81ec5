/// How long a run rests between one attempt and the next.
public struct Backoff: Sendable, Hashable {
  /// The rest after the first attempt.
  public let initial: Duration

  /// What each further rest is multiplied by.
  public let factor: Double

  /// The longest rest.
  public let maximum: Duration

  /// No rest at all.
  public static let none = Backoff.constant(.zero)

  /// The same rest each time.
  public static func constant(_ rest: Duration) -> Backoff {
    Backoff(initial: rest, factor: 1, maximum: rest)
  }

  /// Rests that grow: `initial`, then each `factor` times as long as the one before, up to `maximum`.
  public static func exponential(
    initial: Duration = .milliseconds(100), factor: Double = 2, maximum: Duration = .seconds(30)
  ) -> Backoff {
    Backoff(initial: initial, factor: factor, maximum: maximum)
  }

  /// Why no rest can be computed, or nil.
  package var problem: PlanProblem? {
    initial < .zero || maximum < initial || !(factor >= 1) ? .backoff : nil
  }

  /// The rest after the `attempt`th attempt, counted from 1, before jitter.
  package func rest(after attempt: Int) -> Duration {
    var rest = initial
    for _ in 1..<Swift.max(attempt, 1) {
      guard rest > .zero, factor > 1 else { break }
      // Compared before it is multiplied, for a product that does not fit traps.
      guard factor < maximum / rest else { return maximum }
      rest = rest * factor
    }
    return Swift.min(rest, maximum)
  }

  /// The rest with some of it taken away at random, so that those who failed together do not come back together.
  ///
  /// - Parameter jitter: how much of it may be taken away: 0 is nothing, 1 is all ("full jitter").
  func rest(after attempt: Int, jitter: Double, random: inout some RandomNumberGenerator) -> Duration {
    let rest = rest(after: attempt)
    guard jitter > 0, rest > .zero else { return rest }
    return rest * (1 - jitter * Double.random(in: 0..<1, using: &random))
  }
}
