import MillraceFlags
import Testing

/// One of the commands all tests below are about.
private let list = Flags(command: "shop list", summary: "Lists.", [.toggle("--json", help: "print JSON")])

private let commands = Subcommands(
  command: "shop", summary: "Sells things.",
  [
    Flags(command: "shop replay", summary: "Replays.", operand: .init("FILE", example: "shop.jsonl"), []),
    list,
  ])

@Suite("Subcommands")
struct SubcommandsTests {
  @Test("The first argument chooses the command, and the others are its own")
  func choosing() throws {
    let list = try commands.parse(["list", "--json"])
    #expect(list.command == "list")
    #expect(list.flags.isOn("--json"))
    let replay = try commands.parse(["replay", "list"])
    #expect(replay.command == "replay")
    #expect(replay.flags.operand == "list")
  }

  @Test(
    "A wrong command line is refused with a sentence that says the fix",
    arguments: [
      ([], "shop needs a command, but was given none; see shop --help for those it has."),
      (["lsit"], "shop has no command 'lsit'; did you mean list?"),
      (["sell"], "shop has no command 'sell'; see shop --help for those it has."),
      (["--json"], "shop has no command '--json'; see shop --help for those it has."),
      (["list", "x"], "shop list takes flags only, but was given 'x'; leave it out, or see shop list --help."),
    ])
  func refused(arguments: [String], sentence: String) {
    #expect(throws: FlagError(sentence)) { try commands.parse(arguments) }
  }

  @Test("--help is that of all commands in the first place, and that of one behind it")
  func help() throws {
    #expect(
      commands.usage == """
        Sells things.

        Usage: shop COMMAND ...

          replay FILE  Replays.
          list         Lists.
          --help       print this text; behind a command, the one of the command
          --version    print the version
        """)
    #expect(try commands.parse(["--version"]).flags.help == "shop \(Version.text)")
    #expect(try commands.parse(["list", "--version"]).flags.help == "shop list \(Version.text)")
    #expect(try commands.parse(["--help"]).flags.help == commands.usage)
    #expect(try commands.parse(["-h"]).flags.help == commands.usage)
    #expect(try commands.parse(["list", "--help"]).flags.help == list.usage)
  }

  @Test("A mistake ends the process with 64 and the sentence, and help with 0")
  func ending() async throws {
    let mistake = try await #require(processExitsWith: .exitCode(64), observing: [\.standardErrorContent]) {
      _ = commands.parseOrExit(["lsit"])
    }
    #expect(
      String(decoding: mistake.standardErrorContent, as: UTF8.self).contains(
        "shop has no command 'lsit'; did you mean list?\n"))
    let help = try await #require(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
      _ = commands.parseOrExit(["list", "-h"])
    }
    #expect(
      String(decoding: help.standardOutputContent, as: UTF8.self).contains(
        "Usage: shop list [--json] [--help] [--version]\n"))
  }

  @Test("Commands that are not named for their program stop it")
  func names() async {
    await #expect(processExitsWith: .failure) {
      _ = Subcommands(command: "shop", summary: "", [Flags(command: "list", summary: "", [])])
    }
  }
}
