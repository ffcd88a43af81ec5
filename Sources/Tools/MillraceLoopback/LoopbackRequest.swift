/// A request that has arrived whole.
public struct LoopbackRequest: Sendable, Equatable {
  /// `GET`, `POST` and so on.
  public let method: String
  /// The part of the URL behind the host, with its query.
  public let path: String
  /// The header fields, by their names in lower case.
  public let headers: [String: String]
  /// The body.
  public let body: String

  /// Reads a request; nil as long as some of it has not arrived.
  init?(_ bytes: [UInt8]) {
    guard let end = Self.endOfHeader(of: bytes) else { return nil }
    let lines = bytes[..<end].split { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
    let words = (lines.first ?? []).split(separator: UInt8(ascii: " "), maxSplits: 2)
    method = words.first.map { String(decoding: $0, as: UTF8.self) } ?? "GET"
    path = words.count > 1 ? String(decoding: words[1], as: UTF8.self) : "/"
    headers = lines.dropFirst().reduce(into: [:]) { headers, line in
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
      let value = line[(colon + 1)...].drop { $0 == UInt8(ascii: " ") }
      headers[String(decoding: line[..<colon], as: UTF8.self).lowercased()] = String(decoding: value, as: UTF8.self)
    }
    guard bytes.count - end >= headers["content-length"].flatMap({ Int($0) }) ?? 0 else { return nil }
    body = String(decoding: bytes[end...], as: UTF8.self)
  }

  /// The index behind the first empty line; nil as long as that has not arrived.
  private static func endOfHeader(of bytes: [UInt8]) -> Int? {
    var matched = 0
    for (index, byte) in bytes.enumerated() {
      // The mark is two pairs, so that a byte which does not continue a match can only begin one.
      if byte == (matched.isMultiple(of: 2) ? UInt8(ascii: "\r") : UInt8(ascii: "\n")) {
        matched += 1
        if matched == 4 { return index + 1 }
      } else {
        matched = byte == UInt8(ascii: "\r") ? 1 : 0
      }
    }
    return nil
  }
}
