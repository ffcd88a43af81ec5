import Millrace
import MillraceTerminal
import Testing

@testable import PulseService

@Suite("TablePresentation")
struct TablePresentationTests {
  private func terminal(
    columns: Int = 80, rows: Int = 24, isASCII: Bool = false, isColored: Bool = false
  ) -> Terminal {
    Terminal(isASCII: isASCII, isColored: isColored) { Terminal.Size(columns: columns, rows: rows) }
  }

  private func text(_ terminal: Terminal, isLive: Bool = false) throws -> String {
    var presentation = TablePresentation(terminal: terminal, isLive: isLive)
    return presentation.text(try .fake())
  }

  @Test("The table shows the machine, the alerts that are not ok, and the targets")
  func table() throws {
    #expect(
      try text(terminal()) == """
        pulse  2023-11-14T22:13:20Z  machine up 1 d 2 h  revision 6
        cpu      100.0 %                        ▄█
        memory    25.0 %  250 B of 1.0 kB       ▃▃
        disk      50.0 %  1.0 kB of 2.0 kB      ▅▅
        load        0.50  0.25, 0.12            ██

        pending   cpu > 30 % for 1 h  1 s
        firing    target down for 2 probes (tcp://database.test:5432)  0 s

        http://web.test/          up         12.3 ms  █
        tcp://database.test:5432  down     connection refused\n
        """)
  }

  @Test("The webhooks stand below the table, and why the rules were kept on top of it, on as many lines as that needs")
  func webhooks() throws {
    var state = PulseState(owing: .fake(1), to: [.chat])
    state.receivers.append(Receiver(webhook: .pager))
    for mutation: PulseMutation in [
      .rulesKept(reason: "pulse keeps the rules it has: no such file"), .notifying(.chat, .fake(1)),
      .recordingFailed(reason: "The file was moved."),
      .notifyFailed(.chat, .fake(1), reason: "status 500", mayHaveArrived: false),
    ] { state.apply(mutation) }
    var presentation = TablePresentation(terminal: terminal(columns: 30), isLive: false)
    #expect(
      presentation.text(Snapshot(revision: 3, state: state)) == """
        pulse  revision 3
        pulse keeps the rules it has:
        no such file
        The file was moved.

        webhook  https://chat.test/… …
        webhook  https://pager.test  …\n
        """)
    presentation = TablePresentation(terminal: terminal(), isLive: false)
    let text = presentation.text(Snapshot(revision: 3, state: state))
    #expect(text.contains("\nwebhook  https://chat.test/…  1 waiting, 1 failed: status 500\n"))
    #expect(text.contains("\nwebhook  https://pager.test  not told of anything yet\n"))
  }

  @Test("Where only ASCII is known, nothing else is written")
  func ascii() throws {
    let text = try text(terminal(columns: 30, isASCII: true))
    #expect(text.utf8.allSatisfy { $0 < 128 })
    #expect(text.contains("cpu      100.0 %  -#\n"))
    #expect(text.contains("~"))
  }

  @Test("No line is wider than the terminal", arguments: [1, 2, 10, 20, 40, 59, 60, 61, 200])
  func width(columns: Int) throws {
    for line in try text(terminal(columns: columns)).split(separator: "\n") {
      #expect(Printable.columns(line) <= columns)
    }
  }

  @Test(
    "A table higher than the terminal is cut, first its empty lines, and says how much is missing",
    arguments: [1, 2, 5, 9, 10, 11, 12, 30])
  func height(rows: Int) throws {
    let lines = try text(terminal(rows: rows), isLive: true).split(separator: "\r\n", omittingEmptySubsequences: false)
    #expect(lines.count - 1 == (rows < 12 ? min(9, max(1, rows - 1)) : 11))
    #expect(lines.contains { $0.contains("more lines") } == (rows < 10))
    if rows == 5 { #expect(lines[3].contains("… 6 more lines")) }
  }

  /// On 30 columns and 8 rows the four meters stayed, and what was wrong was cut off.
  @Test("On a small terminal firing alerts and targets that are down come first")
  func small() throws {
    let lines = try text(terminal(columns: 30, rows: 8), isLive: true)
      .replacing(/\u{1B}\[[?0-9]*[a-zA-Z]/, with: "").split(separator: "\r\n")
    #expect(
      lines == [
        "pulse  2023-11-14T22:13:20Z  …",
        "firing    target down for 2 p…",
        "tcp://database…  down     con…",
        "cpu      100.0 %  ▄█",
        "memory    25.0 %  ▃▃",
        "disk      50.0 %  ▅▅",
        "… 3 more lines",
      ])
  }

  @Test("Colours are there when wanted, and are the only difference")
  func colors() throws {
    let colored = try text(terminal(isColored: true))
    #expect(colored.contains("\u{1B}[32mup       \u{1B}[0m"))
    #expect(colored.contains("\u{1B}[31mfiring    \u{1B}[0m"))
    let plain = try text(terminal())
    #expect(!plain.contains("\u{1B}"))
    #expect(colored.replacing(/\u{1B}\[[0-9]+m/, with: "") == plain)
  }

  @Test("A live table hides the cursor once, is drawn over the one before, and shows the cursor at its end")
  func live() throws {
    var presentation = TablePresentation(terminal: terminal(), isLive: true)
    #expect(presentation.end.isEmpty)
    let first = presentation.text(try .fake())
    #expect(first.hasPrefix(Control.hideCursor + "pulse"))
    #expect(first.hasSuffix("\r\n" + Control.clearBelow))
    let second = presentation.text(try .fake())
    #expect(second.hasPrefix("\r\u{1B}[11Apulse"))
    #expect(!second.contains(Control.hideCursor))
    #expect(presentation.end == Control.showCursor)
  }

  @Test("When the terminal has changed its size the screen is cleared, once")
  func resized() throws {
    let width = Lock(80)
    let terminal = Terminal(isASCII: false, isColored: false) {
      Terminal.Size(columns: width.withLock { $0 }, rows: 24)
    }
    var presentation = TablePresentation(terminal: terminal, isLive: true)
    _ = presentation.text(try .fake())
    width.withLock { $0 = 40 }
    #expect(presentation.text(try .fake()).hasPrefix(Control.clearScreen + "pulse"))
    #expect(presentation.text(try .fake()).hasPrefix("\r\u{1B}[11Apulse"))
  }
}
