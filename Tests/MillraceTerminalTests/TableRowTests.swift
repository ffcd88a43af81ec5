import Testing

@testable import MillraceTerminal

@Suite("TableRow")
struct TableRowTests {
  private func row(_ pieces: (String, TableRow.Style)...) -> TableRow {
    var row = TableRow()
    for (text, style) in pieces { row.add(text, style) }
    return row
  }

  @Test("A row that fits is left as it is, a longer one is cut with a mark")
  func fitted() {
    let row = row(("abc", .plain), ("def", .bad))
    #expect(row.fitted(to: 6, mark: "…") == row)
    #expect(row.fitted(to: 5, mark: "…").text(isColored: false) == "abcd…")
    #expect(row.fitted(to: 3, mark: "…").text(isColored: false) == "ab…")
    #expect(row.fitted(to: 1, mark: "~").text(isColored: false) == "~")
    #expect(row.fitted(to: 0, mark: "~").text(isColored: false) == "")
  }

  @Test("Wide characters count twice, and none is cut in half")
  func wide() {
    let row = row(("日本語", .plain))
    #expect(row.columns == 6)
    #expect(row.fitted(to: 5, mark: "…").text(isColored: false) == "日本…")
    #expect(row.fitted(to: 4, mark: "…").text(isColored: false) == "日…")
  }

  @Test("Styles are escape sequences on a terminal with colours, and nothing on one without")
  func styles() {
    let row = row(("up", .good), ("  ", .plain), ("down", .bad))
    #expect(row.text(isColored: true) == "\u{1B}[32mup\u{1B}[0m  \u{1B}[31mdown\u{1B}[0m")
    #expect(row.text(isColored: false) == "up  down")
  }

  @Test("Pieces are padded on either side by columns")
  func padded() {
    var row = TableRow()
    row.add("日", width: 4)
    row.add("7", width: 3, isTrailing: true)
    row.add("long", width: 2)
    #expect(row.text(isColored: false) == "日    7long")
  }
}
