import Foundation
import MillraceEntries

/// A number that tells states apart, and is the same in every process and on every machine.
///
/// It is FNV-1a of 64 bits, by Fowler, Noll and Vo, over the state as JSON with sorted keys, as the file has it.
///
/// **Order.** Sets, and dictionaries whose keys are neither strings nor integers, are encoded in an order that differs between
/// processes. So equal hashes say that two states are the same, and where hashes differ a replay compares what the states encode:
/// the elements of arrays in their order, those of a `Set` and the pairs of a `Dictionary` in any. A type that encodes the elements
/// of a set itself, one by one, or hands its encoder on to the set, has to sort them, or to encode the set as a whole by a
/// `singleValueContainer()`.
public struct StateHash: Sendable, Hashable, LosslessStringConvertible {
  /// The hash as a number.
  public let value: UInt64

  /// The hash of a state.
  ///
  /// - Throws: what the state throws when it is encoded.
  public init(of state: some Encodable) throws {
    self.init(ofJSON: try JSON.encoder().encode(state))
  }

  /// Reads 16 hexadecimal digits.
  public init?(_ description: String) {
    guard description.utf8.count == 16, let value = UInt64(description, radix: 16) else { return nil }
    self.value = value
  }

  init(ofJSON json: Data) {
    var checksum = Checksum()
    json.withUnsafeBytes { checksum.add($0) }
    value = checksum.value
  }

  /// The hash as 16 hexadecimal digits.
  public var description: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
