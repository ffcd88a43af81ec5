/// Renders URLs as they may be shown to anybody, without what may be a secret in them.
///
/// In place of user and password stands `…@`, in place of a query `?…`; a fragment is left out. Each function reads its text once.
package enum RedactedURL {
  /// The part of a URL that is shown.
  package enum Extent: Sendable {
    /// Up to the end of its path.
    case path
    /// Up to the end of its host and port; in place of what follows stands `/…`.
    case host
  }

  /// Renders a URL that was parsed.
  package static func url(_ url: some StringProtocol, upTo extent: Extent = .path) -> String {
    rendered(Array(url.utf8)[...], isParsed: true, extent)
  }

  /// Renders a text that was to be a URL and may be none.
  ///
  /// Without a parser that understands the text, everything up to its last `@` may belong to a password.
  package static func broken(_ text: String, upTo extent: Extent = .path) -> String {
    rendered(Array(text.utf8)[...], isParsed: false, extent)
  }

  /// Renders the URLs among the words of a text: each word with `://`.
  ///
  /// As no parser has looked at them, everything from the first `://` of the text up to its last `@` may belong to a password.
  package static func text(_ text: String, upTo extent: Extent = .path) -> String {
    var bytes = Array(text.utf8)
    guard let start = endOfScheme(in: bytes[...]) else { return text }
    if let at = bytes[start...].lastIndex(of: UInt8(ascii: "@")) { bytes.replaceSubrange(start..<at, with: ellipsis) }
    let words = bytes.split(omittingEmptySubsequences: false) { $0 <= UInt8(ascii: " ") }
    var text = ""
    for word in words {
      text +=
        endOfScheme(in: word) == nil ? String(decoding: word, as: UTF8.self) : rendered(word, isParsed: true, extent)
      if word.endIndex < bytes.endIndex { text.unicodeScalars.append(Unicode.Scalar(bytes[word.endIndex])) }
    }
    return text
  }

  private static let ellipsis = Array("…".utf8)

  private static func rendered(_ url: ArraySlice<UInt8>, isParsed: Bool, _ extent: Extent) -> String {
    let start = endOfScheme(in: url) ?? url.startIndex
    let endOfUser = isParsed ? url[start...].firstIndex(where: isDelimiter) ?? url.endIndex : url.endIndex
    let at = url[start..<endOfUser].lastIndex(of: UInt8(ascii: "@"))
    let host = at.map { $0 + 1 } ?? start
    let end =
      url[host...].firstIndex { isDelimiter($0) && (extent == .host || $0 != UInt8(ascii: "/")) } ?? url.endIndex
    var shown = Array(url[..<start])
    if at != nil { shown += ellipsis + [UInt8(ascii: "@")] }
    shown += url[host..<end]
    if end < url.endIndex {
      switch extent {
      case .host: shown += [UInt8(ascii: "/")] + ellipsis
      case .path: shown += url[end] == UInt8(ascii: "?") ? [UInt8(ascii: "?")] + ellipsis : []
      }
    }
    return String(decoding: shown, as: UTF8.self)
  }

  /// The index behind the first `://`.
  private static func endOfScheme(in text: ArraySlice<UInt8>) -> Int? {
    let mark = Array("://".utf8)
    return text.indices.first { text[$0] == mark[0] && text[$0...].starts(with: mark) }.map { $0 + mark.count }
  }

  /// Whether the byte ends the host of a URL.
  private static func isDelimiter(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }
}
