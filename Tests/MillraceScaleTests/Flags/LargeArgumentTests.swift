import MillraceFlags
import Testing

/// Reading a megabyte in a time that grows with the square of its size takes longer than this suite may take by far.
@Suite("Arguments of a megabyte", .timeLimit(.minutes(2)))
struct LargeArgumentTests {
  private static let size = scaled(1 << 20)

  private let flags = Flags(
    command: "shop list", summary: "Lists.", operand: .init("FILE", example: "shop.jsonl"),
    [
      .seconds("--every", help: "time between two lists"), .integer("--count", example: "3", help: "how many lists"),
      .text("--rules", "FILE", example: "rules.json", help: "a file of rules"),
      .texts("--watch", "URL", help: "a target to probe"), .toggle("--json", help: "print JSON"),
    ])

  @Test(
    "An argument is taken as it is, or refused in a sentence of a few words",
    arguments: [
      ("", "x"), ("", "\u{301}"), ("", "://"), ("-", "x"), ("--", "-"), ("--js", "o"), ("--js", "🇩🇪"), ("--json=", "="),
      ("--every=", "1"), ("--count=", "1"), ("--rules=", "\u{202E}"), ("--watch=", "e\u{301}"),
      ("--watch=http://", "u:p@"), ("--x=http://", "a b"),
    ])
  func argument(beginning: String, word: String) throws {
    let text = beginning + String(repeating: word, count: Self.size / word.utf8.count)
    let commands = Subcommands(command: "shop", summary: "Sells things.", [flags])
    for arguments in [[text], ["list", "FILE", text]] {
      do throws(FlagError) {
        _ = try commands.parse(arguments)
      } catch {
        #expect(error.message.utf8.count < 20_000)
      }
    }
  }

  @Test("Arguments of a megabyte together are all taken")
  func many() throws {
    let count = Self.size / "--watch=123456".utf8.count
    let watched = (100_000..<100_000 + count).map(String.init)
    let parsed = try flags.parse(watched.map { "--watch=\($0)" } + ["FILE"])
    #expect(parsed.texts("--watch") == watched)
    #expect(parsed.operand == "FILE")
  }
}
