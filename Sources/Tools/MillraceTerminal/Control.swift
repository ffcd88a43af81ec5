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
