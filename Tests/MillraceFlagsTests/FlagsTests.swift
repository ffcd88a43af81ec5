import MillraceFlags
import Testing

/// The command all tables below are about.
private let flags = Flags(
  command: "pulse", summary: "Watches this machine.",
  [
    .seconds("--every", help: "time between two samples (default 1)"),
    .integer("--count", example: "3", help: "how many samples to take"),
    .integer("--port", "PORT", in: 0...65535, example: "8080", help: "the port to listen on"),
    .text("--rules", "FILE", example: "rules.json", help: "a file of rules"),
    .texts("--watch", "URL", help: "a target to probe"),
    .toggle("--json", help: "print JSON"),
  ])

private let seconds = "a number of seconds from 0.000000001 to 1000000000"

@Suite("Flags")
struct FlagsTests {
  @Test("Without arguments every flag is absent")
  func withoutArgumentsEveryFlagIsAbsent() throws {
    let parsed = try flags.parse([])
    #expect(parsed.seconds("--every") == nil)
    #expect(parsed.integer("--count") == nil)
    #expect(parsed.text("--rules") == nil)
    #expect(parsed.texts("--watch") == [])
    #expect(!parsed.isOn("--json"))
    #expect(parsed.help == nil)
    #expect(!parsed.wasGiven("--every"))
  }

  @Test("Each kind of flag gives its value, behind a blank or an equals sign")
  func eachKindGivesItsValue() throws {
    for arguments in [
      ["--every", "2", "--count", "7", "--port", "0", "--rules", "a.json", "--watch", "x", "--json", "--watch", "y"],
      ["--every=2", "--count=7", "--port=0", "--rules=a.json", "--watch=x", "--json", "--watch=y"],
    ] {
      let parsed = try flags.parse(arguments)
      #expect(parsed.seconds("--every") == .seconds(2))
      #expect(parsed.integer("--count") == 7)
      #expect(parsed.integer("--port") == 0)
      #expect(parsed.text("--rules") == "a.json")
      #expect(parsed.texts("--watch") == ["x", "y"])
      #expect(parsed.isOn("--json"))
      #expect(parsed.wasGiven("--every"))
    }
  }

  @Test(
    "Seconds may be fractional and are rounded to a nanosecond",
    arguments: [
      ("0.5", Duration.milliseconds(500)),
      (".25", .milliseconds(250)),
      ("0.1", .milliseconds(100)),
      ("+3", .seconds(3)),
      ("1e-3", .milliseconds(1)),
      ("2E2", .seconds(200)),
      ("0.000000001", .nanoseconds(1)),
      ("0.0000000014", .nanoseconds(1)),
      ("0.0000000016", .nanoseconds(2)),
      ("0.0000000005", .nanoseconds(1)),
      ("999999999", .seconds(999_999_999)),
      ("1000000000", .seconds(1_000_000_000)),
    ])
  func secondsMayBeFractional(text: String, expected: Duration) throws {
    #expect(try flags.parse(["--every", text]).seconds("--every") == expected)
  }

  @Test("A number of seconds is 0 where that means none", arguments: ["0", "0.0", "+0", "0.0000000005"])
  func secondsMayBeZero(text: String) throws {
    let flags = Flags(command: "load", summary: "", [.seconds("--drain", canBeZero: true, help: "")])
    #expect(try flags.parse(["--drain", text]).seconds("--drain") == (text.hasSuffix("5") ? .nanoseconds(1) : .zero))
  }

  @Test("A number of seconds that is no time is refused where 0 is one", arguments: ["-1", "1e-10", "1000000001"])
  func secondsAreNotNegative(text: String) {
    let flags = Flags(command: "load", summary: "", [.seconds("--drain", canBeZero: true, help: "")])
    let error = FlagError(
      "--drain needs 0 or \(seconds), but was given '\(text)'; write for example --drain 0.5.")
    #expect(throws: error) { try flags.parse(["--drain", text]) }
  }

  @Test("A value may hold an equals sign, begin with one hyphen, or with two behind an equals sign")
  func aValueMayHoldSigns() throws {
    #expect(try flags.parse(["--watch=http://h/?a=b"]).texts("--watch") == ["http://h/?a=b"])
    #expect(try flags.parse(["--rules", "-"]).text("--rules") == "-")
    #expect(try flags.parse(["--rules=--json"]).text("--rules") == "--json")
  }

  @Test("--version is the name and the version, and wins over everything else on the line but --help")
  func version() throws {
    #expect(try flags.parse(["--every", "abc", "--version", "--nothing"]).help == "pulse \(Version.text)")
    #expect(try flags.parse(["--version", "--help"]).help == flags.usage)
  }

  @Test("The help text ends with the notes and the exit codes, if there are any")
  func exitCodes() {
    let flags = Flags(
      command: "pulse", summary: "Watches this machine.", notes: ["Proxies are ignored."],
      exitCodes: [ExitCode(0, "all is well"), .usage], [])
    #expect(
      flags.usage.hasSuffix(
        """
          --version  print the version

        Proxies are ignored.

        Exit codes:
          0   all is well
          64  the command line is wrong
        """))
    let commands = Subcommands(command: "pulse", summary: "", exitCodes: [.usage], [])
    #expect(commands.usage.hasSuffix("\n\nExit codes:\n  64  the command line is wrong"))
  }

  @Test("--help and -h win over everything else on the line", arguments: ["--help", "-h"])
  func helpWins(help: String) throws {
    let parsed = try flags.parse(["--every", "abc", help, "--nothing"])
    #expect(parsed.help == flags.usage)
    #expect(!parsed.wasGiven("--every"))
  }

  @Test(
    "A value that does not fit is refused with what the flag needs, what it was given and an example",
    arguments: [
      ("--every", "abc", seconds, "0.5"),
      ("--every", "0", seconds, "0.5"),
      ("--every", "-1", seconds, "0.5"),
      ("--every", "", seconds, "0.5"),
      ("--every", "nan", seconds, "0.5"),
      ("--every", "inf", seconds, "0.5"),
      ("--every", "0x1", seconds, "0.5"),
      ("--every", "1s", seconds, "0.5"),
      ("--every", "1e400", seconds, "0.5"),
      ("--every", "0.0000000004", seconds, "0.5"),
      ("--every", "1000000001", seconds, "0.5"),
      ("--every", "1e10", seconds, "0.5"),
      ("--every", "1e-10", seconds, "0.5"),
      ("--count", "0", "a whole number of at least 1", "3"),
      ("--count", "1.5", "a whole number of at least 1", "3"),
      ("--count", "99999999999999999999", "a whole number of at least 1", "3"),
      ("--port", "65536", "a whole number from 0 to 65535", "8080"),
      ("--port", "-1", "a whole number from 0 to 65535", "8080"),
      ("--rules", "", "a text that is not empty", "rules.json"),
      ("--watch", "", "a text that is not empty", "URL"),
    ])
  func aValueThatDoesNotFitIsRefused(flag: String, given: String, needs: String, example: String) {
    let error = FlagError("\(flag) needs \(needs), but was given '\(given)'; write for example \(flag) \(example).")
    #expect(throws: error) { try flags.parse([flag, given]) }
    #expect(throws: error) { try flags.parse(["\(flag)=\(given)"]) }
  }

  @Test("A value is quoted up to 500 characters", arguments: [499, 500, 501])
  func quoted(count: Int) {
    let text = String(repeating: "x", count: count)
    #expect(FlagError.quoted(text) == (count <= 500 ? "'\(text)'" : "'\(text.prefix(500))…'"))
  }

  @Test(
    "A wrong command line is refused with one sentence that says the fix",
    arguments: [
      (["--every"], "--every needs a value, but none follows it; write for example --every 0.5."),
      (["--every", "--json"], "--every needs a value, but none follows it; write for example --every 0.5."),
      (["--json=yes"], "--json takes no value, but was given 'yes'; write --json alone."),
      (["--json="], "--json takes no value, but was given ''; write --json alone."),
      (["--json", "--json"], "--json was given twice, but may be given once; leave one of the two out."),
      (["--every=1", "--every", "2"], "--every was given twice, but may be given once; leave one of the two out."),
      (["now"], "pulse takes flags only, but was given 'now'; leave it out, or see pulse --help."),
      (["a\nb\u{1B}"], "pulse takes flags only, but was given 'a\\nb\\u{1B}'; leave it out, or see pulse --help."),
      ([""], "pulse takes flags only, but was given ''; leave it out, or see pulse --help."),
      (["-"], "pulse takes flags only, but was given '-'; leave it out, or see pulse --help."),
      (["--"], "pulse takes flags only, but was given '--'; leave it out, or see pulse --help."),
      (["--", "--json"], "pulse takes flags only, but was given '--'; leave it out, or see pulse --help."),
      (["--evry", "1"], "pulse has no flag '--evry'; did you mean --every?"),
      (["--Every=1"], "pulse has no flag '--Every'; did you mean --every?"),
      (["-json"], "pulse has no flag '-json'; did you mean --json?"),
      (["--hepl"], "pulse has no flag '--hepl'; did you mean --help?"),
      (["--=1"], "pulse has no flag '--'; see pulse --help for those it has."),
      (["--verbose"], "pulse has no flag '--verbose'; see pulse --help for those it has."),
    ])
  func aWrongCommandLineIsRefused(arguments: [String], sentence: String) {
    #expect(throws: FlagError(sentence)) { try flags.parse(arguments) }
  }

  @Test("The first mistake on the line is the one that is told")
  func theFirstMistakeIsTold() {
    #expect(throws: FlagError("pulse has no flag '--evry'; did you mean --every?")) {
      try flags.parse(["--json", "--evry", "1", "--count", "x"])
    }
  }

  @Test("The help text names the command, its call and each flag, and breaks the call at 80 columns")
  func theHelpTextNamesEverything() {
    #expect(
      flags.usage == """
        Watches this machine.

        Usage: pulse [--every SECONDS] [--count N] [--port PORT] [--rules FILE]
                     [--watch URL]... [--json] [--help] [--version]

          --every SECONDS  time between two samples (default 1)
          --count N        how many samples to take
          --port PORT      the port to listen on
          --rules FILE     a file of rules
          --watch URL      a target to probe; may be repeated
          --json           print JSON
          --help           print this text
          --version        print the version
        """)
  }
}

@Suite("Flags: the width of the help text")
struct FlagsWidthTests {
  @Test("The call stays on one line up to 80 columns, and is broken behind", arguments: [(34, 80, 1), (35, 69, 2)])
  func theCallIsBrokenAt80Columns(length: Int, width: Int, lines: Int) {
    let name = "--" + String(repeating: "n", count: length)
    let call = Flags(command: "load", summary: "", [.toggle(name, help: ""), .toggle("--json", help: "")])
      .usage.split(separator: "\n").prefix { !$0.hasPrefix("  --") }
    #expect(call.count == lines)
    #expect(call.map(\.count).max() == width)
  }
}

@Suite("Flags: an argument that is no flag")
struct OperandTests {
  private let flags = Flags(
    command: "shop replay", summary: "Replays.", operand: .init("FILE", example: "shop.jsonl"),
    [.toggle("--quiet", help: "say less"), .integer("--rows", help: "how many")])

  @Test("It stands anywhere, but not in place of a flag's value")
  func anywhere() throws {
    for arguments in [
      ["a", "--quiet", "--rows", "2"], ["--quiet", "a", "--rows=2"], ["--rows", "2", "--quiet", "a"],
    ] {
      let parsed = try flags.parse(arguments)
      #expect(parsed.operand == "a")
      #expect(parsed.isOn("--quiet"))
      #expect(parsed.integer("--rows") == 2)
    }
    #expect(try flags.parse(["--help"]).operand == "")
  }

  @Test(
    "Without it, with two of them, or with an empty one the command line is refused",
    arguments: [
      ([], "shop replay needs a FILE, but was given none; write for example shop replay shop.jsonl."),
      (["--quiet"], "shop replay needs a FILE, but was given none; write for example shop replay shop.jsonl."),
      ([""], "shop replay needs a FILE, but was given ''; write for example shop replay shop.jsonl."),
      (["a", "b\n"], #"shop replay takes one FILE, but was given 'b\n' too; leave one of the two out."#),
      (
        ["--"],
        "shop replay takes one FILE and flags only, but was given '--'; leave it out, or see shop replay --help."
      ),
      (["-", "a"], "shop replay takes one FILE, but was given 'a' too; leave one of the two out."),
      (["a", "--quite"], "shop replay has no flag '--quite'; did you mean --quiet?"),
    ])
  func refused(arguments: [String], sentence: String) {
    #expect(throws: FlagError(sentence)) { try flags.parse(arguments) }
  }

  @Test("It may be a single hyphen")
  func hyphen() throws {
    #expect(try flags.parse(["--quiet", "-"]).operand == "-")
  }

  @Test("The help text has it before the flags")
  func help() {
    #expect(flags.usage.contains("Usage: shop replay FILE [--quiet] [--rows N] [--help] [--version]\n"))
  }
}

@Suite("Flags: ending the process")
struct FlagsExitTests {
  @Test("--help is printed to standard output, and the exit code is 0")
  func helpExitsWithZero() async throws {
    let result = try await #require(
      processExitsWith: .exitCode(0), observing: [\.standardOutputContent, \.standardErrorContent]
    ) {
      flags.parseOrExit(["--help"]) { _ in }
    }
    #expect(String(decoding: result.standardOutputContent, as: UTF8.self).contains(flags.usage + "\n"))
    #expect(!String(decoding: result.standardErrorContent, as: UTF8.self).contains("Usage"))
  }

  @Test("A mistake is one line on standard error, and the exit code is 64; what was printed before is flushed")
  func mistakesExitWith64() async throws {
    let result = try await #require(
      processExitsWith: .exitCode(64), observing: [\.standardOutputContent, \.standardErrorContent]
    ) {
      print("printed before")
      flags.parseOrExit(["--json", "now"]) { _ in }
    }
    let errors = String(decoding: result.standardErrorContent, as: UTF8.self)
    let output = String(decoding: result.standardOutputContent, as: UTF8.self)
    #expect(errors.contains("pulse takes flags only, but was given 'now'; leave it out, or see pulse --help.\n"))
    #expect(output.contains("printed before\n"))
  }

  @Test("A mistake the command itself finds ends it in the same way")
  func mistakesOfTheCommandExitWith64() async throws {
    let result = try await #require(processExitsWith: .exitCode(64), observing: [\.standardErrorContent]) {
      flags.parseOrExit(["--watch", "x"]) { parsed throws(FlagError) in
        throw FlagError(
          flag: "--watch", needs: "a URL", given: parsed.texts("--watch")[0], example: "http://localhost")
      }
    }
    let errors = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(errors.contains("--watch needs a URL, but was given 'x'; write for example --watch http://localhost.\n"))
  }

  @Test("Reading a flag that was not declared, or as another kind, stops the command")
  func readingAnUndeclaredFlagTraps() async {
    await #expect(processExitsWith: .failure) { _ = try flags.parse([]).isOn("--nothing") }
    await #expect(processExitsWith: .failure) { _ = try flags.parse(["--json"]).text("--json") }
  }

  @Test("A right command line does not end the process")
  func aRightCommandLineGoesOn() {
    let options = flags.parseOrExit(["--count=2"]) { parsed in (parsed.integer("--count") ?? 1) * 10 }
    #expect(options == 20)
  }
}

@Suite("Flags: several arguments that are no flags")
struct OperandsTests {
  private let flags = Flags(
    command: "shop show", summary: "Shows.",
    operands: [.init("FILE", example: "shop.db"), .init("KEY", example: "a", isOptional: true)],
    [.toggle("--quiet", help: "say less")])

  @Test("They are given in their order, and the last one may be left out")
  func order() throws {
    #expect(try flags.parse(["f", "--quiet", "k"]).operands == ["f", "k"])
    #expect(try flags.parse(["f"]).operands == ["f"])
    #expect(try flags.parse(["f"]).operand == "f")
  }

  @Test("A flag takes the place of one, which is then refused, and a URL in the sentence has no secret")
  func replaced() throws {
    let flags = Flags(
      command: "shop show", summary: "Shows.",
      operands: [.init("FILE", example: "shop.db", replacedBy: "--at"), .init("KEY", example: "a")],
      [.text("--at", "URL", help: "read from there")])
    #expect(try flags.parse(["f", "k"]).operands == ["f", "k"])
    #expect(try flags.parse(["k", "--at", "u"]).operands == ["k"])
    for (arguments, sentence) in [
      (["--at", "u"], "shop show needs a KEY, but was given none; write for example shop show a."),
      (["k"], "shop show needs a KEY, but was given none; write for example shop show shop.db a."),
      (
        ["http://a:b@host/f?t=1", "k", "--at", "u"],
        "shop show takes no FILE with --at, but was given 'http://…@host/…' too; leave one of the two out."
      ),
      (
        ["f", "k", "http://a:b@host"],
        "shop show takes FILE KEY, but was given 'http://…@host' too; leave one of the 3 out."
      ),
    ] {
      let error = #expect(throws: FlagError.self) { try flags.parse(arguments) }
      #expect(error?.description == sentence)
    }
  }

  @Test("Behind two hyphens each argument is one, also if it begins with a hyphen")
  func hyphens() throws {
    let parsed = try flags.parse(["f", "--", "--quiet"])
    #expect(parsed.operands == ["f", "--quiet"])
    #expect(!parsed.isOn("--quiet"))
    #expect(try flags.parse(["--", "f", "--"]).operands == ["f", "--"])
  }

  @Test(
    "Without one that is needed, with one too many, or with an empty one the command line is refused",
    arguments: [
      ([], "shop show needs a FILE, but was given none; write for example shop show shop.db a."),
      (["f", ""], "shop show needs a KEY, but was given ''; write for example shop show shop.db a."),
      (["f", "k", "x"], "shop show takes FILE [KEY], but was given 'x' too; leave one of the 3 out."),
      (["f", "-q"], "shop show has no flag '-q'; did you mean --quiet?"),
    ])
  func refused(arguments: [String], sentence: String) {
    #expect(throws: FlagError(sentence)) { try flags.parse(arguments) }
  }

  @Test("The help text has them before the flags, an optional one in brackets")
  func help() {
    #expect(flags.usage.contains("Usage: shop show FILE [KEY] [--quiet] [--help] [--version]\n"))
  }
}
