import Foundation

/// A wall time as it stands in a header: by RFC 3339, in UTC, with three digits of a second, as in `2026-11-25T16:44:38.120Z`.
package struct WallTimeText: Sendable, Hashable, CustomStringConvertible {
  /// In milliseconds since 1970, up to the end of the year 9999.
  package let milliseconds: Int64

  /// Creates the text of a time; an earlier and a later one become the first and the last time that there is.
  package init(_ milliseconds: Int64) {
    self.milliseconds = min(max(milliseconds, 0), 253_402_300_799_999)
  }

  /// Reads what ``description`` writes; nil for another text.
  init?(text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].utf8.count == 4, let rest = Int64(parts[1].dropLast()),
      let date = try? Date(parts[0] + "Z", strategy: .iso8601), abs(date.timeIntervalSince1970) < 1e12
    else { return nil }
    self.init(Int64(date.timeIntervalSince1970) * 1_000 + rest)
    // Of the texts of a time, only its description is read, and no text of a time that there is not.
    guard description == text else { return nil }
  }

  /// The text.
  package var description: String {
    let seconds = Date(timeIntervalSince1970: Double(milliseconds / 1_000)).formatted(.iso8601)
    return "\(seconds.dropLast()).\("\(milliseconds % 1_000 + 1_000)".dropFirst())Z"
  }
}
