import Foundation

/// The reason for which a text cannot be decoded: the first position at which it is no JSON, or a number that does not fit its type.
///
/// The decoder of Foundation has no position in its error on Linux; the older reader, which this asks after the decoder has refused a text, has
/// one in the text of its error.
package struct JSONMistake: Error, Sendable, Equatable {
  /// The position at which the text is no JSON; nil for a number that does not fit.
  package let position: JSONPosition?
  /// The mistake as the end of a clause that begins with its position, as in "has 'x', which is not possible there".
  package let problem: String
  /// The mend as a clause, as in "write a smaller number".
  package let fix: String

  private static let quotes: Set<Character> = ["'", "`", "´", "‘", "’", "‚", "“", "”", "„", "«", "»", "″"]

  private init(_ position: JSONPosition?, _ problem: String, fix: String) {
    (self.position, self.problem, self.fix) = (position, problem, fix)
  }

  /// The mistake of a text that a decoder has refused.
  init(in data: Data) {
    do {
      _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
      self.init(nil, "has a number that does not fit", fix: "write a smaller number")
    } catch {
      self.init(in: Array(data), reason: "\((error as NSError).userInfo["NSDebugDescription"] ?? error)")
    }
  }

  private init(in bytes: [UInt8], reason: String) {
    let words = reason.dropLast(reason.last == "." ? 1 : 0).split(separator: " ")
    if reason.hasPrefix("Number "), words.count > 1, words[1] != "with" {
      self.init(
        nil, "has the number \(String(words[1]).shortened(to: 40)), which does not fit", fix: "write a smaller number")
      return
    }
    let offset = words.last.flatMap { Int($0) }.map { min(max($0, 0), bytes.count) }
    let position = JSONPosition(offset ?? bytes.count, in: bytes)
    let character = offset.flatMap { String(decoding: bytes[$0...].prefix(4), as: UTF8.self).first }
    switch reason {
    case let text where text.hasPrefix("Unescaped control character"):
      self.init(
        position, "has a line break or a control character inside a text", fix: "end the text with \" before it")
    case let text where text.hasPrefix("Invalid escape"):
      self.init(position, "has a \\ that begins no escape", fix: "write \\\\ for the character itself")
    case let text where text.hasPrefix("Too many nested"):
      self.init(position, "is inside too many lists and objects", fix: "write it flatter")
    case let text where text.hasPrefix("Invalid UTF-"):
      self.init(position, "has bytes that are no UTF-8", fix: "save the text as UTF-8")
    default:
      if let character, Self.quotes.contains(character) {
        self.init(position, "has the quote \(character) where JSON has \"", fix: "write \" around each text")
      } else if let character {
        self.init(
          position, "has '\(String(character).shown())', which is not possible there",
          fix: "write \" around each text, and a comma between two values")
      } else {
        self.init(
          position, "is the end, and something is missing",
          fix: "end each text with \", each list with ] and each object with }")
      }
    }
  }
}

/// A position in a text.
package struct JSONPosition: Sendable, Equatable, CustomStringConvertible {
  /// The number of the line, from 1.
  package let line: Int
  /// The number of the character in its line, from 1.
  package let column: Int

  /// The position of a byte.
  init(_ offset: Int, in bytes: [UInt8]) {
    let before = bytes[..<offset]
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    line = before.count { $0 == UInt8(ascii: "\n") } + 1
    column = String(decoding: bytes[start..<offset], as: UTF8.self).count + 1
  }

  /// The position as "line 2, column 3".
  package var description: String { "line \(line), column \(column)" }
}
