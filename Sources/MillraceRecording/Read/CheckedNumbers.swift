extension KeyedDecodingContainer {
  /// A revision or a count of commits; impossible numbers are refused, so that sums do not overflow.
  func count(_ key: Key) throws -> Int {
    let count = try decode(Int.self, forKey: key)
    guard (0...Int.max / 4).contains(count) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "It is a number from 0 to \(Int.max / 4).")
    }
    return count
  }

  /// Nanoseconds; more than 73 years are refused.
  func nanoseconds(_ key: Key) throws -> Int64 {
    let limit = Int64.max / 4
    let nanoseconds = try decode(Int64.self, forKey: key)
    guard (-limit...limit).contains(nanoseconds) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "It is a number of nanoseconds from -\(limit) to \(limit).")
    }
    return nanoseconds
  }

  /// The nanoseconds of a duration; a negative number and more than 73 years are refused.
  func duration(_ key: Key) throws -> Int64 {
    let duration = try nanoseconds(key)
    guard duration >= 0 else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self, debugDescription: "It is a number of nanoseconds that is not negative.")
    }
    return duration
  }
}
