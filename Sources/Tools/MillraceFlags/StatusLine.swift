import Foundation

/// The last line of standard error, which on a terminal is written over by the next one.
///
/// A text is cut to the width of the terminal, because a line that wraps is not written over whole.
package struct StatusLine: Sendable {
  /// The line of this process.
  package static let standardError = StatusLine(
    columns: columns(of: STDERR_FILENO, ProcessInfo.processInfo.environment), write: StandardError.write)

  private let columns: (@Sendable () -> Int)?
  private let write: @Sendable (String) -> Void

  /// - Parameters:
  ///   - columns: asks for the width, which changes with the window; nil where no line can be written over.
  ///   - write: writes a text as it is.
  package init(columns: (@Sendable () -> Int)?, write: @escaping @Sendable (String) -> Void) {
    (self.columns, self.write) = (columns, write)
  }

  /// Whether a line can be written over.
  package var isLive: Bool { columns != nil }

  /// Shows a text until the next one; has no effect where no line can be written over.
  package func show(_ text: String) {
    guard let columns else { return }
    write("\r\u{1B}[K" + Self.cut(text.shownOnTerminal(), to: columns() - 1))
  }

  /// Removes the text that was shown.
  package func clear() {
    show("")
  }

  /// Writes a line for good.
  package func writeLine(_ text: String) {
    write((isLive ? "\r\u{1B}[K" : "") + text.shownOnTerminal() + "\n")
  }

  /// The beginning of a text that takes no more columns; letters of most scripts behind Greek and Cyrillic count as two.
  static func cut(_ text: String, to columns: Int) -> String {
    func width(_ text: some StringProtocol) -> Int {
      text.unicodeScalars.reduce(0) { $0 + ($1.value < 0x1100 || 0x2000..<0x2100 ~= $1.value ? 1 : 2) }
    }
    guard width(text) > columns else { return text }
    var (shown, used) = ("", 0)
    for character in text {
      used += width(String(character))
      guard used < columns else { break }
      shown.append(character)
    }
    return columns > 0 ? shown + "…" : ""
  }

  /// The width of the terminal behind a descriptor, at most `COLUMNS`; nil where there is none, or one whose cursor cannot be moved.
  static func columns(of descriptor: Int32, _ environment: [String: String]) -> (@Sendable () -> Int)? {
    guard isatty(descriptor) == 1, environment["TERM"] != "dumb" else { return nil }
    let most = environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    return {
      var window = winsize()
      let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0 && window.ws_col > 0
      return min(most ?? .max, isKnown ? Int(window.ws_col) : most ?? 80)
    }
  }
}

extension String {
  /// The text with characters that steer a terminal, or turn the direction of writing, as escapes; line breaks stay.
  package func shownOnTerminal() -> String {
    guard unicodeScalars.contains(where: \.steersTerminal) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      if scalar.steersTerminal {
        text += scalar.escaped(asASCII: true)
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

extension Unicode.Scalar {
  fileprivate var steersTerminal: Bool {
    switch properties.generalCategory {
    case .control: self != "\n"
    case .lineSeparator, .paragraphSeparator: true
    default: properties.isBidiControl
    }
  }
}
