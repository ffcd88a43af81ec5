/// One line of the table: pieces of text, each in a style.
package struct TableRow: Sendable, Equatable {
  /// The meaning of a piece, which a terminal shows by a colour.
  package enum Style: String, Sendable {
    case plain = ""
    case strong = "1"
    case faint = "2"
    case bad = "31"
    case good = "32"
    case warning = "33"
    case series = "36"
  }

  package struct Piece: Sendable, Equatable {
    package var text: String
    package var style: Style
  }

  /// Whether the row comes first where there is not room for every row: a firing alert, or a target that is down.
  package let isUrgent: Bool

  package private(set) var pieces: [Piece] = []

  package init(isUrgent: Bool = false) {
    self.isUrgent = isUrgent
  }

  /// The columns that the row takes.
  package var columns: Int { pieces.reduce(0) { $0 + Printable.columns($1.text) } }

  /// Adds a piece, padded with blanks to `width` columns.
  package mutating func add(_ text: String, _ style: Style = .plain, width: Int = 0, isTrailing: Bool = false) {
    let padding = String(repeating: " ", count: max(0, width - Printable.columns(text)))
    pieces.append(Piece(text: isTrailing ? padding + text : text + padding, style: style))
  }

  /// The row cut to `width` columns, its end marked where something is missing.
  package func fitted(to width: Int, mark: String) -> TableRow {
    guard columns > width else { return self }
    var room = max(0, width - Printable.columns(mark))
    var row = TableRow(isUrgent: isUrgent)
    for piece in pieces {
      var text = ""
      for character in piece.text {
        let columns = Printable.columns(character)
        guard columns <= room else {
          row.add(text + (Printable.columns(mark) <= width ? mark : ""), piece.style)
          return row
        }
        room -= columns
        text.append(character)
      }
      row.add(text, piece.style)
    }
    return row
  }

  /// The row as a terminal takes it, with escape sequences for the styles if it shows colours.
  package func text(isColored: Bool) -> String {
    pieces.map { piece in
      isColored && piece.style != .plain ? "\u{1B}[\(piece.style.rawValue)m\(piece.text)\u{1B}[0m" : piece.text
    }.joined()
  }
}
