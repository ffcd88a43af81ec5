import Foundation

/// A type that reads any JSON: a value that it does not read is read by no other type.
///
/// Its `init(from:)` takes the value from ``values(ofLine:)``, which a reader of recordings puts into the decoder's `userInfo`. To
/// try one type after the other takes a time that grows with the square of the depth of a value, because each error has a path.
package protocol ReadsAnyJSON: Sendable {
  /// Makes the value of an object that `JSONSerialization` has parsed.
  init(parsed: Any)
}

extension ReadsAnyJSON {
  /// The values of a line by their keys; nil if the line is no JSON object.
  static func values(ofLine bytes: Data) -> [String: Self]? {
    ((try? JSONSerialization.jsonObject(with: bytes)) as? [String: Any])?.mapValues(Self.init(parsed:))
  }

  /// The value that a reader of recordings has parsed at the place of a decoder; nil if there is none.
  package static func value(at decoder: any Decoder) -> Self? {
    guard let key = decoder.codingPath.first?.stringValue else { return nil }
    return (decoder.userInfo[.parsedLine] as? [String: Self])?[key]
  }
}

extension CodingUserInfoKey {
  fileprivate static let parsedLine = CodingUserInfoKey(rawValue: "millrace.parsedLine")!
}

extension JSONDecoder {
  /// Decodes a line of a recording whose states are of a type.
  func decode<Line: Decodable, State>(_ type: Line.Type, ofLine bytes: Data, for state: State.Type) throws -> Line {
    if let any = state as? any ReadsAnyJSON.Type { userInfo[.parsedLine] = any.values(ofLine: bytes) }
    return try decode(type, from: bytes)
  }
}
