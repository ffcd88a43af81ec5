import Foundation
import Millrace
import MillraceEntries

/// The difference between a recorded value and the present one.
enum EncodedDifference {
  /// A line for each part that differs; nil if the values are the same.
  ///
  /// They are the same if they are encoded the same, for `==` may leave parts out; the order of a set's elements and of a
  /// dictionary's pairs is none of theirs, and that of an array counts.
  ///
  /// - Throws: what a value throws when it is encoded.
  static func lines<Value: Encodable>(from recorded: Value, hash: StateHash? = nil, to current: Value) throws
    -> [String]?
  {
    let json = try JSON.encoder().encode(current)
    if let hash, hash == StateHash(ofJSON: json) { return nil }
    if try json == JSON.encoder().encode(recorded) { return nil }
    if try CanonicalText(recorded) == CanonicalText(current) { return nil }
    let difference = ValueDifference(from: recorded, to: current)
    if difference.isEmpty { return ["the values are equal by ==, and are encoded differently"] }
    return difference.lines.map { $0.shown() }
  }
}
