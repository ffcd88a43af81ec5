package import Foundation

/// The encoder and the decoder, which have to agree.
package enum JSON {
  package static func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return encoder
  }

  /// A decoder whose error for a text that is no JSON, or has a number that does not fit, has a ``JSONMistake`` as its underlying error.
  package static func decoder() -> JSONDecoder {
    let decoder = PlacingDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return decoder
  }

  /// A value as one line of JSON.
  package static func text(of value: some Encodable) throws -> String {
    String(decoding: try encoder().encode(value), as: UTF8.self)
  }

  /// A value from JSON.
  package static func value<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
    try decoder().decode(type, from: Data(text.utf8))
  }
}

/// Foundation's decoder, whose error for a text that is no JSON, or has a number that does not fit, says no position.
private final class PlacingDecoder: JSONDecoder, @unchecked Sendable {
  override func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    do {
      // Foundation's decoder traps, and does not throw, where the 513th bracket that opens a list in a list is the end of the text.
      guard data.last(where: { $0 != 0 }) != UInt8(ascii: "[") else {
        throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: ""))
      }
      return try super.decode(type, from: data)
    } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
      let mistake = JSONMistake(in: data)
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: [], debugDescription: context.debugDescription, underlyingError: mistake))
    }
  }
}
