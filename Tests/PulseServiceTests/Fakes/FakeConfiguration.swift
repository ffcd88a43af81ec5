import Millrace
import Testing

/// Takes nothing away from the rests between attempts.
struct NoJitter: RandomNumberGenerator, Sendable {
  mutating func next() -> UInt64 { 0 }
}

extension StoreConfiguration {
  /// A configuration whose time a test moves, whose rests are those of the plan, and for which a failure without a
  /// closing fails the test.
  static func fake(_ clock: any Clock<Duration>) -> StoreConfiguration {
    StoreConfiguration(clock: clock, random: NoJitter()) { incident in
      // Some fakes are late on purpose.
      if incident.kind != .lateEmit { Issue.record("Nothing may be left to the store to report: \(incident)") }
    }
  }
}
