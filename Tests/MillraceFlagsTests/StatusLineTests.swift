import Synchronization
import Testing

@testable import MillraceFlags

#if canImport(Glibc)
  import Glibc
#endif

@Suite("StatusLine")
struct StatusLineTests {
  private final class Screen: Sendable {
    let text = Mutex("")
  }

  /// The text that a line writes.
  private func written(columns: Int?, _ body: (StatusLine) -> Void) -> String {
    let screen = Screen()
    let width: (@Sendable () -> Int)? = if let columns { { columns } } else { nil }
    let line = StatusLine(columns: width) { part in screen.text.withLock { $0 += part } }
    body(line)
    return screen.text.withLock { $0 }
  }

  @Test(
    "A text is cut to one column less than the terminal has, so that it never wraps",
    arguments: [(11, "0123456789"), (10, "01234567…"), (2, "…"), (1, ""), (0, "")])
  func cut(columns: Int, shown: String) {
    #expect(written(columns: columns) { $0.show("0123456789") } == "\r\u{1B}[K" + shown)
  }

  @Test("Letters that take two columns are counted so")
  func wide() {
    #expect(StatusLine.cut("日本語日本語", to: 12) == "日本語日本語")
    #expect(StatusLine.cut("日本語日本語", to: 11) == "日本語日本…")
    #expect(StatusLine.cut("≥ 5 µs – …", to: 11) == "≥ 5 µs – …")
  }

  @Test("Where no line can be written over, only lines for good are written, without an escape")
  func plain() {
    #expect(
      written(columns: nil) { line in
        line.show("now")
        line.clear()
        line.writeLine("for good")
      } == "for good\n")
  }

  @Test("Characters that steer a terminal are shown as escapes, in a line for good too")
  func escapes() {
    let text = "a\u{1B}[2Jb\u{9B}c\r\u{202E}d"
    let shown = #"a\u{1B}[2Jb\u{009B}c\r\u{202E}d"#
    #expect(written(columns: 80) { $0.show(text) } == "\r\u{1B}[K" + shown)
    #expect(written(columns: nil) { $0.writeLine(text + "\ne") } == shown + "\ne\n")
    #expect("a\u{301}\u{200D} é".shownOnTerminal() == "a\u{301}\u{200D} é")
  }

  #if os(Linux)
    @Test("A terminal has its width, at most COLUMNS; one whose cursor cannot be moved has none")
    func terminal() throws {
      var (user, program): (Int32, Int32) = (0, 0)
      var size = winsize(ws_row: 24, ws_col: 70, ws_xpixel: 0, ws_ypixel: 0)
      try #require(openpty(&user, &program, nil, nil, &size) == 0)
      defer {
        close(user)
        close(program)
      }
      #expect(StatusLine.columns(of: program, ["TERM": "xterm"])?() == 70)
      #expect(StatusLine.columns(of: program, ["COLUMNS": "60"])?() == 60)
      #expect(StatusLine.columns(of: program, ["COLUMNS": "90"])?() == 70)
      #expect(StatusLine.columns(of: program, ["TERM": "dumb"]) == nil)
      #expect(StatusLine.columns(of: -1, [:]) == nil)
    }
  #endif
}
