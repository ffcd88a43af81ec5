import MillraceFlags
import MillraceHTTP

/// The request of the command line.
struct Options: Sendable, Equatable {
  var plan = MonitoringService.Plan()
  var isJSON = false
  /// The file that all that happens is recorded to.
  var recording: String?
  /// The file that the state is kept in over a crash.
  var journal: String?
  /// The database in which targets are shared with other pulses.
  var cluster: ClusterOptions?
  /// The port of the inspector.
  var inspectorPort: Int?
  /// The issuers of certificates that are trusted in place of the system's.
  var issuers: TrustedIssuers?

  static let flags = Flags(
    command: "pulse",
    summary:
      "Watches this machine and any URLs, and raises alerts; 'pulse recording --help' tells of recordings, 'pulse journal --help' of journals, and "
      + "'pulse cluster --help' of clusters.",
    notes: [
      "Targets and webhooks are asked themselves: proxies of the environment (http_proxy, https_proxy, all_proxy) are ignored."
    ],
    exitCodes: [
      ExitCode(0, "it has ended as it was asked to"),
      ExitCode(2, "--once has found that a target is down or an alert fires"), .usage,
      ExitCode(69, "the port of --inspect cannot be used"),
      ExitCode(73, "the recording, the journal or the cluster cannot be used"),
      ExitCode(74, "standard output or the journal cannot be written to"),
      ExitCode(128, "with the number of a second signal added: that one has ended it at once"),
    ],
    [
      .seconds("--every", example: "0.5", help: "time between two rounds of samples and probes (default 1)"),
      .seconds("--for", example: "10", help: "how long to run (default until SIGINT or SIGTERM)"),
      .texts(
        "--watch", "URL", example: "http://localhost:8080",
        help: "an http://, https:// or tcp://host:port URL to probe"),
      .texts(
        "--alert", "RULE", example: "'cpu > 90 % for 30 s'",
        help: "a rule such as 'cpu > 90 % for 30 s', 'target down for 2 probes until 3 successes remind every 1 h', "
          + "'target slower than 200 ms' or 'target certificate expires within 14 days'"),
      .text("--rules", "FILE", example: "rules.json", help: "a JSON list of rules, or a pipe; read again on SIGHUP"),
      .text(
        "--targets", "FILE", example: "targets.json",
        help:
          #"a JSON object such as {"targets": [URL], "webhooks": [URL]}, whose secrets no list of processes shows; "#
          + "read again on SIGHUP"),
      .texts(
        "--notify", "URL", example: "http://localhost:8080/alerts",
        help: "an http:// or https:// URL that gets a POST when an alert begins or ends, and when a reminder is due"),
      .trustedIssuers,
      .text(
        "--record", "FILE", example: "pulse.jsonl", help: "record all that happens, for 'pulse recording replay FILE'"),
      .text(
        "--journal", "FILE", example: "pulse.journal",
        help: "keep history and alerts in FILE, also over a crash, and continue there (needs the trait SQLite)"),
    ] + ClusterOptions.flags + [
      .inspectorPort("--inspect"),
      .toggle("--json", help: "print compact JSON, one object a line"),
      .toggle("--once", help: "probe each target once, print one complete state and end, with 2 if it is bad"),
    ])

  /// Creates the options of parsed flags; reads the rules file.
  ///
  /// - Throws: `FlagError`, naming the flag, the value and the fix.
  init(_ parsed: ParsedFlags) throws(FlagError) {
    plan.interval = parsed.seconds("--every") ?? plan.interval
    plan.duration = parsed.seconds("--for")
    plan.isOnce = parsed.isOn("--once")
    isJSON = parsed.isOn("--json")
    recording = parsed.text("--record")
    journal = parsed.text("--journal")
    inspectorPort = try parsed.inspectorPort("--inspect", product: "pulse")
    issuers = try parsed.trustedIssuers()
    if let recording { try FlagError.checkOutputFile(recording, of: "--record") }
    if let journal { try Self.check(journal: journal) }
    let files = ConfigurationFiles(
      rulesPath: parsed.text("--rules"), targets: parsed.text("--targets").map(TargetsFile.init),
      own: TargetsFile.Contents(
        endpoints: try Self.reading(parsed, "--watch", upTo: .path, Endpoint.init),
        webhooks: try Self.reading(parsed, "--notify", upTo: .host, Webhook.init)),
      ownRules: parsed.texts("--alert"))
    let configuration = try files.load()
    (plan.endpoints, plan.rules, plan.webhooks) = (
      configuration.endpoints, configuration.rules, configuration.webhooks
    )
    if files.rulesPath != nil || files.targets != nil { plan.files = files }
    if let webhook = files.own.webhooks.first, plan.rules.isEmpty, files.rulesPath == nil {
      throw FlagError(
        "--notify was given \(FlagError.quoted(webhook.name)), but there is no rule to tell it of; "
          + "add for example --alert 'cpu > 90 % for 30 s'.")
    }
    cluster = try ClusterOptions(parsed, plan, host: PulseCommand.hostName)
  }

  /// A pulse without journals names the way to one that has them.
  private static func check(journal path: String) throws(FlagError) {
    #if SQLite
      try FlagError.checkOutputFile(path, of: "--journal")
    #else
      throw FlagError(
        "--journal was given \(FlagError.quoted(path)), but this pulse was built without journals; install libsqlite3-dev and "
          + "build it with 'swift build -c release --traits SQLite --product pulse'.")
    #endif
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
}
