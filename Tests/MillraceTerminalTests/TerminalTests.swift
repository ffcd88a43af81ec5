import Testing

@testable import MillraceTerminal

@Suite("Terminal")
struct TerminalTests {
  private func terminal(_ environment: [String: String]) -> Terminal {
    Terminal(environment: environment) { Terminal.Size(columns: 80, rows: 24) }
  }

  @Test(
    "The first locale variable that is not empty says whether there is more than ASCII",
    arguments: [
      ([:], true),
      (["LANG": "C"], true),
      (["LANG": "en_GB.UTF-8"], false),
      (["LANG": "C.utf8"], false),
      (["LC_ALL": "C", "LANG": "en_GB.UTF-8"], true),
      (["LC_ALL": "", "LC_CTYPE": "C.UTF-8", "LANG": "C"], false),
      (["LC_CTYPE": "POSIX", "LANG": "C.UTF-8"], true),
    ] as [([String: String], Bool)])
  func locale(environment: [String: String], isASCII: Bool) {
    #expect(terminal(environment).isASCII == isASCII)
  }

  @Test("NO_COLOR takes the colours away when it is not empty")
  func noColor() {
    #expect(terminal([:]).isColored)
    #expect(terminal(["NO_COLOR": ""]).isColored)
    #expect(!terminal(["NO_COLOR": "1"]).isColored)
    #expect(!terminal(["NO_COLOR": "0"]).isColored)
  }

  @Test("A descriptor that is no terminal has none")
  func noTerminal() {
    #expect(Terminal(descriptor: -1, environment: [:]) == nil)
  }
}
