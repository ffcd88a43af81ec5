/// Draws the rows of a table over those that were drawn before.
package struct RedrawnTable: Sendable {
  /// The number of drawn lines and the size of the terminal, by which the first line is found again.
  private var drawn: (lines: Int, size: Terminal.Size)?

  package init() {}

  /// The text that draws the rows on a terminal of this size, which they fit.
  package mutating func text(_ rows: [TableRow], on size: Terminal.Size, isColored: Bool) -> String {
    let lines = rows.map { $0.text(isColored: isColored) + Control.clearLine + "\r\n" }.joined()
    let text = start(on: size) + lines + Control.clearBelow
    drawn = (rows.count, size)
    return text
  }

  /// The text behind the last table.
  package var end: String { drawn == nil ? "" : Control.showCursor }

  /// Hides the cursor the first time, and later moves it to the first line of what was drawn.
  ///
  /// A terminal that has changed its size has broken or moved the lines, each kind of terminal in its own way, so that the
  /// screen is cleared instead.
  private func start(on size: Terminal.Size) -> String {
    guard let drawn else { return Control.hideCursor }
    return drawn.size == size ? Control.up(drawn.lines) : Control.clearScreen
  }
}

/// The escape sequences that redrawing needs; every terminal of the last forty years knows them.
package enum Control {
  package static let hideCursor = "\u{1B}[?25l"
  package static let showCursor = "\u{1B}[?25h"
  package static let clearLine = "\u{1B}[K"
  package static let clearBelow = "\u{1B}[J"
  package static let clearScreen = "\u{1B}[H\u{1B}[2J"

  package static func up(_ lines: Int) -> String {
    "\r\u{1B}[\(lines)A"
  }
}
