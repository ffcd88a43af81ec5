/// A request that has arrived whole.
public struct LoopbackRequest: Sendable, Equatable {
  /// `GET`, `POST` and so on.
  public let method: String
  /// What stands behind the host, its query included.
  public let path: String
  /// The header fields, by their names in lower case.
  public let headers: [String: String]
  /// What stands behind the header.
  public let body: String

  /// Reads a request; nil as long as some of it has not arrived.
  init?(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
    let lines = text[..<end.lowerBound].split(separator: "\r\n")
    let words = (lines.first ?? "").split(separator: " ", maxSplits: 2)
    method = words.first.map(String.init) ?? "GET"
    path = words.count > 1 ? String(words[1]) : "/"
    headers = lines.dropFirst().reduce(into: [:]) { headers, line in
      guard let colon = line.firstIndex(of: ":") else { return }
      headers[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
    }
    body = String(text[end.upperBound...])
    guard body.utf8.count >= headers["content-length"].flatMap({ Int($0) }) ?? 0 else { return nil }
  }
}
