import MillraceEntries
import Testing

@Suite("String, as it can be shown")
struct StringShownTests {
  @Test("A path stands between quotes, and shows a character that steers a terminal as an escape")
  func quoted() {
    #expect("a b/é.jsonl".quoted == "'a b/é.jsonl'")
    #expect("a\u{1B}[2J\n\u{202E}".quoted == "'a\\u{1B}[2J\\u{A}\\u{202E}'")
  }
}
