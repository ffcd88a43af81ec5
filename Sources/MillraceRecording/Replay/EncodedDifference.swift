import Foundation
import Millrace

/// What differs between a recorded value and the one that is there now.
enum EncodedDifference {
  /// A line for each part that differs; nil if the values are the same.
  ///
  /// They are compared as they are encoded, for `==` may leave parts out; but sets have no order, so that of their elements is
  /// no difference.
  ///
  /// - Throws: what a value throws when it is encoded.
  static func lines<Value: Encodable>(from recorded: Value, hash: StateHash? = nil, to current: Value) throws
    -> [String]?
  {
    let json = try JSON.encoder().encode(current)
    if let hash, hash == StateHash(ofJSON: json) { return nil }
    let recordedJSON = try JSON.encoder().encode(recorded)
    if json == recordedJSON { return nil }
    let difference = ValueDifference(from: recorded, to: current)
    if !difference.isEmpty { return difference.lines }
    if try UnorderedJSON(json) == UnorderedJSON(recordedJSON) { return nil }
    return ["the values are equal by ==, and are encoded differently"]
  }
}
