import Foundation
import MillraceFlags

/// The request of the command line.
struct Options: Sendable, Equatable {
  var plan = MonitoringService.Plan()
  var isJSON = false
  /// The file that all that happens is recorded to.
  var recording: String?
  /// The file that the state is kept in over a crash.
  var journal: String?

  static let flags = Flags(
    command: "pulse",
    summary: "Watches this machine and any URLs, and raises alerts; 'pulse recording --help' tells of recordings.",
    [
      .seconds("--every", example: "0.5", help: "time between two rounds of samples and probes (default 1)"),
      .seconds("--for", example: "10", help: "how long to run (default until SIGINT or SIGTERM)"),
      .texts(
        "--watch", "URL", example: "http://localhost:8080",
        help: "an http://, https:// or tcp://host:port URL to probe"),
      .texts(
        "--alert", "RULE", example: "'cpu > 90 % for 30 s'",
        help: "a rule such as 'cpu > 90 % for 30 s', 'target down' or 'target slower than 200 ms'"),
      .text("--rules", "FILE", example: "rules.json", help: "a JSON list of rules, or a pipe; read again on SIGHUP"),
      .texts(
        "--notify", "URL", example: "http://localhost:8080/alerts",
        help: "an http:// or https:// URL that gets a POST when an alert begins or ends"),
      .text(
        "--record", "FILE", example: "pulse.jsonl", help: "record all that happens, for 'pulse recording replay FILE'"),
      .text(
        "--journal", "FILE", example: "pulse.journal",
        help: "keep history and alerts in FILE, also over a crash, and continue there (needs the trait SQLite)"),
      .toggle("--json", help: "print compact JSON, one object a line"),
      .toggle("--once", help: "probe each target once, print one complete state and end"),
    ])

  /// Makes the options of parsed flags; reads the rules file.
  ///
  /// - Throws: `FlagError`, naming the flag, the value and the fix.
  init(_ parsed: ParsedFlags) throws(FlagError) {
    plan.interval = parsed.seconds("--every") ?? plan.interval
    plan.duration = parsed.seconds("--for")
    plan.isOnce = parsed.isOn("--once")
    isJSON = parsed.isOn("--json")
    recording = parsed.text("--record")
    journal = parsed.text("--journal")
    if let recording { try Self.check(recording, of: "--record") }
    if let journal { try Self.check(journal: journal) }
    plan.endpoints = try Self.reading(parsed, "--watch", upTo: .path, Endpoint.init)
    let targets = TargetNames(plan.endpoints)
    for text in parsed.texts("--alert") {
      plan.rules.append(try Self.rule(text, about: targets))
    }
    if let path = parsed.text("--rules") {
      let file = RulesFile(path: path, otherRules: plan.rules, endpoints: plan.endpoints)
      plan.rules = try file.load()
      plan.rulesFile = file
    }
    plan.webhooks = try Self.reading(parsed, "--notify", upTo: .host, Webhook.init)
    if let webhook = plan.webhooks.first, plan.rules.isEmpty, plan.rulesFile == nil {
      throw FlagError(
        "--notify was given \(FlagError.quoted(webhook.name)), but there is no rule to tell it of; "
          + "add for example --alert 'cpu > 90 % for 30 s'.")
    }
  }

  /// A pulse without journals names the way to one that has them.
  private static func check(journal path: String) throws(FlagError) {
    #if SQLite
      try check(path, of: "--journal")
    #else
      throw FlagError(
        "--journal was given \(FlagError.quoted(path)), but this pulse was built without journals; install libsqlite3-dev and "
          + "build it with 'swift build -c release --traits SQLite --product pulse'.")
    #endif
  }

  /// A file can be made where a folder is that can be written to; what fails later is said when it does.
  private static func check(_ path: String, of flag: String) throws(FlagError) {
    let folder = URL(filePath: path).deletingLastPathComponent().path
    var isFolder: ObjCBool = false
    guard !FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) || !isFolder.boolValue,
      FileManager.default.isWritableFile(atPath: folder)
    else {
      throw FlagError(
        "\(flag) was given \(FlagError.quoted(path)), where no file can be written; "
          + "name a file in a folder that can be written to.")
    }
  }

  /// Reads the URLs of a flag; a URL that is given twice is one.
  ///
  /// A text that is no URL is shown without what may be a secret, up to the end of `extent`.
  private static func reading<Value: Named>(
    _ parsed: ParsedFlags, _ flag: String, upTo extent: RedactedURL.Extent,
    _ read: (String) throws(EndpointError) -> Value
  ) throws(FlagError) -> [Value] {
    var values: [Value] = []
    for text in parsed.texts(flag) {
      do throws(EndpointError) {
        values.append(try read(text))
      } catch {
        let shown = RedactedURL.broken(text, upTo: extent)
        throw FlagError(flag: flag, needs: error.needs, given: shown, example: error.example)
      }
    }
    return values.named
  }

  private static func rule(_ text: String, about targets: TargetNames) throws(FlagError) -> AlertRule {
    do throws(AlertRuleError) {
      return try AlertRule(text, about: targets)
    } catch {
      throw FlagError("--alert was given \(FlagError.quoted(text)), which \(error).")
    }
  }
}
