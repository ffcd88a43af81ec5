import Testing

@testable import Millrace

@Suite("Instant")
struct InstantTests {
  static let longest = Int64.max / 4

  private static func attoseconds(_ count: Int64) -> Duration {
    Duration(secondsComponent: 0, attosecondsComponent: count)
  }

  static let rows: [(Duration, Int64)] = [
    (.zero, 0),
    (.nanoseconds(1), 1),
    (.seconds(1), 1_000_000_000),
    (.seconds(3) + .nanoseconds(7), 3_000_000_007),
    (attoseconds(1), 1),
    (attoseconds(1_000_000_000), 1),
    (attoseconds(1_000_000_001), 2),
    (.seconds(2) + attoseconds(999_999_999_999_999_999), 3_000_000_000),
    (.nanoseconds(18_446_744_073) + attoseconds(709_551_615), 18_446_744_074),
    (.nanoseconds(18_446_744_073) + attoseconds(709_551_616), 18_446_744_074),
    (.seconds(19), 19_000_000_000),
    (attoseconds(-1), 0),
    (.seconds(-5), 0),
    (.nanoseconds(longest - 1), longest - 1),
    (.nanoseconds(longest), longest),
    (.nanoseconds(longest) + .nanoseconds(1), longest),
    (.nanoseconds(longest) - attoseconds(1), longest),
    (.seconds(Int64.max), longest),
    (.seconds(Int64.max) * 10, longest),
    (.seconds(Int64.min) * 10, 0),
  ]

  @Test(
    "A duration is rounded up to whole nanoseconds, and is neither negative nor so long that a sum of a few overflows",
    arguments: rows)
  func aDurationInNanoseconds(duration: Duration, nanoseconds: Int64) {
    #expect(duration.nanoseconds == nanoseconds)
  }
}
