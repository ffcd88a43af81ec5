import Foundation
import Testing

@testable import PulseService

@Suite("Units")
struct UnitsTests {
  @Test("Bytes are in the unit that leaves at most three digits")
  func bytes() {
    let texts = ([0, 999, 1000, 1234, 9949, 9950, 999_499, 999_500, 25_276_514_304, .max] as [UInt64]).map(Units.bytes)
    #expect(texts == ["0 B", "999 B", "1.0 kB", "1.2 kB", "9.9 kB", "10 kB", "999 kB", "1.0 MB", "25 GB", "18447 PB"])
  }

  @Test(
    "An age is in its two largest units",
    arguments: [(59, "59 s"), (60, "1 min 0 s"), (3661, "1 h 1 min"), (93_784, "1 d 2 h")])
  func age(seconds: Int, expected: String) {
    #expect(Units.age(.seconds(seconds)) == expected)
  }

  @Test("A latency is in milliseconds, from a second on in seconds")
  func latency() {
    #expect(Units.latency(.microseconds(12_340)) == "12.3 ms")
    #expect(Units.latency(.milliseconds(1500)) == "1.50 s")
  }

  @Test("Shares have one digit behind the point, and what is not known is a dash")
  func metric() {
    #expect(Units.metric(.cpu, 12.34) == "12.3 %")
    #expect(Units.metric(.load, 0.5) == "0.50")
    #expect(Units.metric(.cpu, nil) == "-")
    #expect(Units.metric(.load, nil) == "-")
  }

  @Test("A time is in UTC, to the second")
  func time() {
    #expect(Units.time(Date(timeIntervalSince1970: 1_700_000_000)) == "2023-11-14T22:13:20Z")
  }
}
