/// Text that is safe to put on a line of a terminal or a log, and how many columns it takes there.
package enum Printable {
  /// The text with each control character replaced, and with each one beyond ASCII when the reader knows only that.
  package static func text(_ text: String, isASCII: Bool) -> String {
    var printable = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isControl = scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
      printable.append(isControl || (isASCII && !scalar.isASCII) ? "?" : scalar)
    }
    return String(printable)
  }

  /// The columns that the text takes: two for the wide characters of East Asia and for emoji.
  package static func columns(_ text: some StringProtocol) -> Int {
    text.reduce(0) { $0 + columns($1) }
  }

  package static func columns(_ character: Character) -> Int {
    let scalar = character.unicodeScalars.first!
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default:
      return scalar.properties.generalCategory == .nonspacingMark ? 0 : 1
    }
  }
}
