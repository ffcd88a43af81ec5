public import Foundation
import MillraceEntries

/// Encodes the actions, mutations and outcomes that a store keeps in its journal.
///
/// What one version of a program has encoded, the next one has to decode.
public protocol JournalCoder: Sendable {
  /// Encodes a value; called with the store's lock, so it must not block.
  ///
  /// - Throws: The reason for which the value cannot be encoded. Nothing of its action is committed then.
  func encode(_ value: some Encodable) throws -> Data

  /// Decodes a value of this type.
  ///
  /// - Throws: The reason for which the bytes are none.
  func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

/// Encodes as JSON with sorted keys, which people can read, and other programs too.
///
/// Numbers that are infinite or NaN are the texts `inf`, `-inf` and `nan`.
public struct JSONJournalCoder: JournalCoder {
  /// Makes a coder.
  public init() {}

  /// Encodes a value as JSON.
  ///
  /// - Throws: `EncodingError`.
  public func encode(_ value: some Encodable) throws -> Data { try JSON.encoder().encode(value) }

  /// Decodes a value from JSON.
  ///
  /// - Throws: `DecodingError`.
  public func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try JSON.decoder().decode(type, from: data)
  }
}
