/// Text that stands in a page as it is; what comes from elsewhere gets in escaped.
///
/// ```swift
/// let row: HTML = "<td>\(name)</td>"
/// ```
package struct HTML: Sendable, Equatable, ExpressibleByStringInterpolation {
  /// The text of the page.
  package private(set) var source: String

  /// Markup as it is written in the program.
  package init(stringLiteral value: String) {
    source = value
  }

  /// Markup whose inserted values are escaped, but for those that are ``HTML`` themselves.
  package init(stringInterpolation: Interpolation) {
    source = stringInterpolation.source
  }

  /// A text, escaped.
  package init(text: String) {
    source = HTML.escaped(text)
  }

  /// Adds more behind it.
  package static func += (page: inout HTML, more: HTML) {
    page.source += more.source
  }

  /// Several parts as one.
  package static func joined(_ parts: some Sequence<HTML>) -> HTML {
    var all: HTML = ""
    for part in parts { all += part }
    return all
  }

  /// The text with the five characters that mean something in HTML written as references, and with those that may not stand
  /// there, or turn the direction of what follows, shown by a sign.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    escaped.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      case "\n", "\t": escaped.unicodeScalars.append(scalar)
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}":
        escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// Collects a literal and what is inserted into it.
  package struct Interpolation: StringInterpolationProtocol {
    fileprivate var source = ""

    /// Begins one.
    package init(literalCapacity: Int, interpolationCount: Int) {
      source.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    /// Adds markup.
    package mutating func appendLiteral(_ literal: String) {
      source += literal
    }

    /// Adds markup that was made before.
    package mutating func appendInterpolation(_ markup: HTML) {
      source += markup.source
    }

    /// Adds the text of a value, escaped.
    package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      source += HTML.escaped(value.description)
    }
  }
}
