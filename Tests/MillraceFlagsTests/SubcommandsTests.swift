import MillraceFlags
import Testing

/// The commands all tests below are about.
private let commands = Subcommands(
  command: "shop", summary: "Sells things.",
  [
    Flags(command: "shop replay", summary: "Replays.", operand: Operand("FILE", example: "shop.jsonl"), []),
    Flags(command: "shop list", summary: "Lists.", [.toggle("--json", help: "print JSON")]),
  ])

@Suite("Subcommands")
struct SubcommandsTests {
  @Test("The first argument chooses the command, and the others are its own")
  func choosing() throws {
    guard case .command("list", let list) = try commands.parse(["list", "--json"]) else {
      Issue.record("Another command than list was chosen.")
      return
    }
    #expect(list.isOn("--json"))
    guard case .command("replay", let replay) = try commands.parse(["replay", "list"]) else {
      Issue.record("Another command than replay was chosen.")
      return
    }
    #expect(replay.operand == "list")
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
        """)
    #expect(try commands.parse(["--help"]) == .help(commands.usage))
    #expect(try commands.parse(["-h"]) == .help(commands.usage))
    #expect(try commands.parse(["list", "--help"]) == .help(commands.commands[1].usage))
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
      String(decoding: help.standardOutputContent, as: UTF8.self).contains("Usage: shop list [--json] [--help]\n"))
  }

  @Test("Commands that are not named for their program stop it")
  func names() async {
    await #expect(processExitsWith: .failure) {
      _ = Subcommands(command: "shop", summary: "", [Flags(command: "list", summary: "", [])])
    }
  }
}
