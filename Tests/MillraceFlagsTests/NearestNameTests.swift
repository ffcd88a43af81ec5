import Testing

@testable import MillraceFlags

@Suite("NearestName")
struct NearestNameTests {
  @Test(
    "The edits between two words are insertions, deletions, replacements and swaps of neighbours",
    arguments: [
      ("every", "every", 0), ("evry", "every", 1), ("evvery", "every", 1), ("evary", "every", 1), ("evrey", "every", 1),
      ("", "abc", 3), ("abc", "", 3), ("kitten", "sitting", 3), ("json", "watch", 5), ("ab", "xa", 2),
    ])
  func editsAreCounted(from: String, to: String, expected: Int) {
    #expect(NearestName.edits(from: Array(from), to: Array(to)) == expected)
  }

  @Test(
    "A near name is found, a far one is not",
    arguments: [
      ("--evry", "--every"), ("-every", "--every"), ("every", "--every"), ("--EVERY", "--every"),
      ("--quick-chek", "--quick-check"), ("--quick", "--quick-check"), ("--js", "--json"), ("--eve", nil),
      ("--ip", "--up"),
      ("--xyz", nil), ("--", nil), ("", nil), ("--e", nil), ("--verbose", nil),
    ] as [(String, String?)])
  func nearNamesAreFound(name: String, expected: String?) {
    let candidates = ["--every", "--events", "--json", "--quick-check", "--up"]
    #expect(NearestName.of(name, among: candidates) == expected)
  }
}
