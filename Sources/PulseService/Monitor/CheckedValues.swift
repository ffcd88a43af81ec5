import Foundation

/// The checks of values that are decoded in this module.
///
/// The decoding that the compiler writes for a type calls these in place of the standard library's methods of the same names, so
/// that no count, time or number of a recording reaches a reducer that it was not made for.
extension KeyedDecodingContainer {
  /// Decodes a count.
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    let count: Int = try value(key)
    try check(key, (0...Int.largestCount).contains(count), "It is a number from 0 to \(Int.largestCount).")
    return count
  }

  /// Decodes a count that may be missing.
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try contains(key) && !decodeNil(forKey: key) ? decode(type, forKey: key) : nil
  }

  /// Decodes a time since the start, an age or a limit.
  func decode(_ type: Duration.Type, forKey key: Key) throws -> Duration {
    let duration: Duration = try value(key)
    try check(key, (.zero...Duration.longest).contains(duration), "It is a time from 0 to 32000000000 s.")
    return duration
  }

  /// Decodes a time that may be missing.
  func decodeIfPresent(_ type: Duration.Type, forKey key: Key) throws -> Duration? {
    try contains(key) && !decodeNil(forKey: key) ? decode(type, forKey: key) : nil
  }

  /// Decodes a time on the wall.
  func decode(_ type: Date.Type, forKey key: Key) throws -> Date {
    let date: Date = try value(key)
    let limit = Duration.longest / .seconds(1)
    try check(key, abs(date.timeIntervalSince1970) <= limit, "It is within 1000 years of 1970.")
    return date
  }

  /// Decodes a number that was measured or is compared with one.
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    let number: Double = try value(key)
    try check(key, (0...Double.largestNumber).contains(number), "It is a number from 0 to \(Double.largestNumber).")
    return number
  }

  /// Decodes a number that may be missing.
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try contains(key) && !decodeNil(forKey: key) ? decode(type, forKey: key) : nil
  }

  /// Refuses a value that no program has encoded.
  func check(_ key: Key, _ isPossible: Bool, _ sentence: String) throws {
    guard isPossible else {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: sentence)
    }
  }

  /// A value of any type, decoded without a check: in a generic function the methods above are not found.
  private func value<Value: Decodable>(_ key: Key) throws -> Value {
    try decode(Value.self, forKey: key)
  }
}

extension Int {
  /// The largest count that is decoded: far above any use, and far below where adding overflows.
  static let largestCount = Int.max / 4

  /// The next count; the largest one stays what it is.
  var incremented: Int { self < Int.max ? self + 1 : self }
}

extension Double {
  /// The largest number that is measured, compared with and decoded: far below where multiplying by a unit overflows.
  static let largestNumber = 1e300
}

extension Duration {
  /// A thousand years: far above any use, and far below where adding overflows.
  fileprivate static let longest = Duration.seconds(32_000_000_000)
}
