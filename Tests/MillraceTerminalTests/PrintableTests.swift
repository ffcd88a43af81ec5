import Testing

@testable import MillraceTerminal

@Suite("Printable")
struct PrintableTests {
  @Test(
    "Characters that move the cursor, break a line or turn the direction of writing are replaced",
    arguments: [("a\u{1B}[2Jb", "a?[2Jb"), ("a\r\nb", "a??b"), ("a\u{202E}b", "a?b"), ("é日", "é日")])
  func control(text: String, expected: String) {
    #expect(Printable.text(text, isASCII: false) == expected)
  }

  @Test("Beyond ASCII nothing is left where only ASCII is known")
  func ascii() {
    #expect(Printable.text("grün 日", isASCII: true) == "gr?n ?")
  }

  @Test(
    "Columns are counted as a terminal does", arguments: [("", 0), ("abc", 3), ("日本", 4), ("🙂", 2), ("e\u{301}", 1)])
  func columns(text: String, expected: Int) {
    #expect(Printable.columns(text) == expected)
  }
}
