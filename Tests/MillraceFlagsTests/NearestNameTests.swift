import Testing

@testable import MillraceFlags

@Suite("NearestName")
struct NearestNameTests {
  @Test(
    "A near name is found, a far one is not",
    arguments: [
      ("--evry", "--every"), ("-every", "--every"), ("every", "--every"), ("--EVERY", "--every"),
      ("--quick-chek", "--quick-check"), ("--quick", "--quick-check"), ("--js", "--json"), ("--eve", nil),
      ("--ip", "--up"), ("--evrey", "--every"), ("--evvery", "--every"), ("--evary", "--every"), ("--jsno", "--json"),
      ("--xyz", nil), ("--", nil), ("", nil), ("--e", nil), ("--verbose", nil),
    ] as [(String, String?)])
  func nearNamesAreFound(name: String, expected: String?) {
    let candidates = ["--every", "--events", "--json", "--quick-check", "--up"]
    #expect(NearestName.of(name, among: candidates) == expected)
  }
}
