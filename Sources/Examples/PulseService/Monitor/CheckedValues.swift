import Foundation

/// A value of another module of which not all that can be decoded was encoded by a program.
///
/// The decoding that the compiler writes for the types of this module calls the methods below in place of those of the standard
/// library, so no count, time or number of a recording or a journal reaches a reducer that was not made for it. A type without this
/// conformance is decoded without a check.
protocol Checked: Decodable {
  /// The sentence about the possible values; nil if this is one of them.
  var objection: String? { get }
}

/// A count.
extension Int: Checked {
  var objection: String? {
    (0...Int.largestCount).contains(self) ? nil : "It is a number from 0 to \(Int.largestCount)."
  }
}

/// A number that was measured or is compared with one.
extension Double: Checked {
  var objection: String? {
    (0...Double.largestNumber).contains(self) ? nil : "It is a number from 0 to \(Double.largestNumber)."
  }
}

/// A time since the start, an age or a limit.
extension Duration: Checked {
  var objection: String? {
    (.zero...Duration.longest).contains(self) ? nil : "It is a time from 0 to 32000000000 s."
  }
}

/// A time on the wall.
extension Date: Checked {
  var objection: String? {
    abs(timeIntervalSince1970) <= Duration.longest / .seconds(1) ? nil : "It is within 1000 years of 1970."
  }
}

extension Array: Checked where Element: Checked {
  var objection: String? { lazy.compactMap(\.objection).first }
}

extension KeyedDecodingContainer {
  /// Decodes a checked value.
  func decode<Value: Checked>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try checkedValue(key)
  }

  /// Decodes a checked value that may be missing.
  func decodeIfPresent<Value: Checked>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    try contains(key) && !decodeNil(forKey: key) ? checkedValue(key) : nil
  }

  // The standard library has methods for integers and numbers, which would be called in place of the ones above.

  /// Decodes a count.
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    try checkedValue(key)
  }

  /// Decodes a count that may be missing.
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try contains(key) && !decodeNil(forKey: key) ? checkedValue(key) : nil
  }

  /// Decodes a number.
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try checkedValue(key)
  }

  /// Decodes a number that may be missing.
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try contains(key) && !decodeNil(forKey: key) ? checkedValue(key) : nil
  }

  /// Refuses a value that no program has encoded.
  func check(_ key: Key, _ isPossible: Bool, _ sentence: String) throws {
    guard isPossible else {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: sentence)
    }
  }

  private func checkedValue<Value: Checked>(_ key: Key) throws -> Value {
    let value: Value = try uncheckedValue(key)
    if let objection = value.objection {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: objection)
    }
    return value
  }

  /// A value of any type: the methods above are not found for a type that may have no check.
  private func uncheckedValue<Value: Decodable>(_ key: Key) throws -> Value {
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
