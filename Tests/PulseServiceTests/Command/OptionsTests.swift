import Foundation
import MillraceFlags
import Testing

@testable import PulseService

@Suite("Options")
struct OptionsTests {
  private func options(_ arguments: String...) throws -> Options {
    try Options(try Options.flags.parse(arguments))
  }

  private func sentence(_ arguments: [String]) -> String? {
    let error = #expect(throws: FlagError.self) { try Options(try Options.flags.parse(arguments)) }
    return error?.message
  }

  @Test("Without flags a round is taken each second, without an end")
  func defaults() throws {
    let options = try options()
    #expect(options.plan == MonitoringService.Plan(interval: .seconds(1), duration: nil, isOnce: false))
    #expect(!options.isJSON)
  }

  @Test("Each flag sets what it names; a target given twice is one target")
  func flags() throws {
    let options = try options(
      "--every", "0.25", "--for", "3", "--watch", "http://a", "--watch", "tcp://b:1", "--watch", "http://a", "--alert",
      "cpu > 90 %", "--alert", "target down", "--notify", "https://a/1", "--notify", "http://b", "--notify", "http://b",
      "--json", "--once")
    #expect(options.plan.interval == .milliseconds(250))
    #expect(options.plan.duration == .seconds(3))
    #expect(options.plan.endpoints.map(\.name) == ["http://a", "tcp://b:1"])
    #expect(options.plan.rules.map(\.text) == ["cpu > 90 %", "target down"])
    #expect(options.plan.webhooks.map(\.url.absoluteString) == ["https://a/1", "http://b"])
    #expect(options.plan.isOnce && options.isJSON)
  }

  @Test("The rules of a file come behind those of the command line, also when it is read again")
  func rulesFile() throws {
    try withRulesFile(#"["load > 4"]"#) { path in
      let options = try options("--rules", path, "--alert", "cpu > 90 %")
      #expect(options.plan.rules.map(\.text) == ["cpu > 90 %", "load > 4"])
      try Data(#"["load > 5"]"#.utf8).write(to: URL(fileURLWithPath: path))
      let rules = try options.plan.files?.load().rules
      #expect(rules?.map(\.text) == ["cpu > 90 %", "load > 5"])
    }
  }

  @Test("A file without rules is enough to be told of them, for it may be read again")
  func noRules() throws {
    try withRulesFile("[]") { path in
      let options = try options("--rules", path, "--notify", "http://a")
      #expect(options.plan.webhooks.count == 1)
    }
  }

  @Test(
    "A mistake is one sentence with the flag, the value and the fix",
    arguments: [
      (
        ["--every", "0"],
        "--every needs a number of seconds from 0.000000001 to 1000000000, but was given '0'; write for example --every 0.5."
      ),
      (
        ["--for", "soon"],
        "--for needs a number of seconds from 0.000000001 to 1000000000, but was given 'soon'; write for example --for 10."
      ),
      (
        ["--watch", "localhost"],
        "--watch needs a URL that begins with http://, https:// or tcp://, but was given 'localhost'; "
          + "write for example --watch http://localhost:8080."
      ),
      (
        ["--watch", "tcp://a"],
        "--watch needs a URL with a port from 1 to 65535, but was given 'tcp://a'; "
          + "write for example --watch tcp://localhost:5432."
      ),
      (
        ["--alert", "cpu > lots"],
        "--alert was given 'cpu > lots', which lacks a number behind '>'; write for example 'cpu > 90 % for 30 s'."
      ),
      (
        ["--alert", "target down"],
        "--alert was given 'target down', which needs a target; add for example --watch http://localhost:8080."
      ),
      (
        ["--watch", "http://a", "--alert", "http://b down"],
        "--alert was given 'http://b down', which is about a target that is not watched; add --watch 'http://b'."
      ),
      (
        ["--rules", "/nowhere/rules.json"],
        "--rules was given '/nowhere/rules.json', which does not exist; name a file with rules such as "
          + #"["cpu > 90 % for 30 s", "target down for 2 probes"]."#
      ),
      (
        ["--alert", "cpu > 1", "--notify", "tcp://a:1"],
        "--notify needs a URL that begins with http:// or https://, but was given 'tcp://a:1'; "
          + "write for example --notify http://localhost:8080/alerts."
      ),
      (
        ["--notify", "http://a"],
        "--notify was given 'http://a', but there is no rule to tell it of; "
          + "add for example --alert 'cpu > 90 % for 30 s'."
      ),
      (
        ["--watch", "http://a\u{202E}b c"],
        "--watch needs a URL without blanks, but was given 'http://a\\u{202E}b c'; "
          + "write for example --watch http://localhost:8080."
      ),
      (["--jsom"], "pulse has no flag '--jsom'; did you mean --json?"),
    ] as [([String], String)])
  func wrong(arguments: [String], expected: String) {
    #expect(sentence(arguments) == expected)
  }

  @Test("A rule of a file about a target that is not watched names the file and the rule")
  func wrongRuleInFile() throws {
    try withRulesFile(#"["cpu > 1", "target down"]"#) { path in
      #expect(
        sentence(["--rules", path])
          == "--rules was given '\(path)', whose rule 2, 'target down', needs a target; "
          + "add for example --watch http://localhost:8080.")
    }
  }

  #if !SQLite
    @Test("A pulse that was built without journals says how to build one that has them")
    func journal() {
      #expect(
        sentence(["--journal", "pulse.journal"])
          == "--journal was given 'pulse.journal', but this pulse was built without journals; install libsqlite3-dev and "
          + "build it with 'swift build -c release --traits SQLite --product pulse'.")
    }
  #endif

  #if Inspector
    @Test("The port of the inspector is a port")
    func inspector() throws {
      #expect(try options("--inspect", "8080").inspectorPort == 8_080)
      #expect(sentence(["--inspect", "65536"])?.contains("a whole number from 0 to 65535") == true)
    }
  #else
    @Test("A pulse that was built without an inspector says how to build one that has it")
    func inspector() {
      #expect(
        sentence(["--inspect", "8080"])
          == "--inspect was given '8080', but this program was built without an inspector; install libmicrohttpd-dev and build it "
          + "with the trait Inspector of millrace, as 'swift build -c release --traits Inspector --product pulse' does."
      )
    }
  #endif

  /// Lends a file with these contents.
  private func withRulesFile(_ contents: String, _ body: (String) throws -> Void) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "rules-\(UUID().uuidString).json")
    try Data(contents.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    try body(file.path)
  }
}
