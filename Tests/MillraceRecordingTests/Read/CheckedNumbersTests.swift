import Foundation
import Testing

@testable import MillraceRecording

@Suite("CheckedNumbers")
struct CheckedNumbersTests {
  private enum Key: CodingKey { case count, nanoseconds, duration }

  private struct Count: Decodable {
    init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: Key.self).count(.count) }
  }

  private struct Nanoseconds: Decodable {
    init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: Key.self).nanoseconds(.nanoseconds) }
  }

  private struct Length: Decodable {
    init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: Key.self).duration(.duration) }
  }

  /// Whether a number is read.
  private func isRead(_ number: Int, as type: (some Decodable).Type) -> Bool {
    let json = #"{"count":\#(number),"nanoseconds":\#(number),"duration":\#(number)}"#
    return (try? JSONDecoder().decode(type, from: Data(json.utf8))) != nil
  }

  @Test("Counts are read from 0 to a quarter of the largest number")
  func counts() {
    for number in [0, 1, Int.max / 4 - 1, Int.max / 4] { #expect(isRead(number, as: Count.self), "\(number)") }
    for number in [-1, Int.max / 4 + 1, .max] { #expect(!isRead(number, as: Count.self), "\(number)") }
  }

  @Test("Times are read up to 73 years, and durations are not negative")
  func nanoseconds() {
    let limit = Int.max / 4
    for number in [-limit, -limit + 1, -1, 0, limit - 1, limit] {
      #expect(isRead(number, as: Nanoseconds.self), "\(number)")
      #expect(isRead(number, as: Length.self) == (number >= 0), "\(number)")
    }
    for number in [-limit - 1, limit + 1] {
      #expect(!isRead(number, as: Nanoseconds.self) && !isRead(number, as: Length.self), "\(number)")
    }
  }
}
