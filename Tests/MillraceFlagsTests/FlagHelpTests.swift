import Testing

@testable import MillraceFlags

@Suite("Flags: the help of a flag")
struct FlagHelpTests {
  @Test("It is broken between words at 80 columns, below its beginning", arguments: [(68, 1), (69, 2)])
  func broken(length: Int, lines: Int) {
    // Two blanks, --json, two blanks, and 70 columns.
    let word = String(repeating: "x", count: length)
    let rows = Flags.table([("--json", "a \(word)")])
    #expect(rows == (lines == 1 ? ["  --json  a \(word)"] : ["  --json  a", "          \(word)"]))
  }
}
