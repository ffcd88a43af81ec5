import MillraceFlags

/// What the command line asks for.
struct Options: Sendable, Equatable {
  var plan = MonitoringService.Plan()
  var isJSON = false

  static let flags = Flags(
    command: "pulse",
    summary: "Watches this machine and any URLs, and raises alerts.",
    [
      .seconds("--every", example: "0.5", help: "time between two rounds of samples and probes (default 1)"),
      .seconds("--for", example: "10", help: "how long to run (default until SIGINT or SIGTERM)"),
      .texts(
        "--watch", "URL", example: "http://localhost:8080",
        help: "an http://, https:// or tcp://host:port URL to probe"),
      .texts(
        "--alert", "RULE", example: "'cpu > 90 % for 30 s'",
        help: "a rule such as 'cpu > 90 % for 30 s' or 'target down for 2 probes'"),
      .text("--rules", "FILE", example: "rules.json", help: "a JSON list of rules"),
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
    for text in parsed.texts("--watch") {
      let endpoint = try Self.endpoint(text)
      // The same target given twice is one target.
      if !plan.endpoints.contains(endpoint) { plan.endpoints.append(endpoint) }
    }
    for text in parsed.texts("--alert") {
      plan.rules.append(try rule(text))
    }
    if let path = parsed.text("--rules") {
      plan.rules += try rules(at: path)
    }
  }

  private static func endpoint(_ text: String) throws(FlagError) -> Endpoint {
    do throws(EndpointError) {
      return try Endpoint(text)
    } catch {
      throw FlagError(flag: "--watch", needs: error.needs, given: text, example: error.example)
    }
  }

  private func rule(_ text: String) throws(FlagError) -> AlertRule {
    let rule: AlertRule
    do throws(AlertRuleError) {
      rule = try AlertRule(text)
    } catch {
      throw FlagError("--alert was given \(FlagError.quoted(text)), which \(error).")
    }
    if let problem = missingTarget(of: rule) {
      throw FlagError("--alert was given \(FlagError.quoted(text)), which \(problem).")
    }
    return rule
  }

  private func rules(at path: String) throws(FlagError) -> [AlertRule] {
    do throws(RulesFileError) {
      let rules = try RulesFile.rules(at: path)
      for rule in rules {
        guard let problem = missingTarget(of: rule) else { continue }
        throw RulesFileError("whose rule \(FlagError.quoted(rule.text)) \(problem)")
      }
      return rules
    } catch {
      throw FlagError("--rules was given \(FlagError.quoted(path)), \(error).")
    }
  }

  /// What to say of a rule about a target that is not watched: it would never fire, and nobody would know.
  private func missingTarget(of rule: AlertRule) -> String? {
    switch rule.condition {
    case .metric:
      nil
    case .targetDown(nil):
      plan.endpoints.isEmpty ? "needs a target; add for example --watch http://localhost:8080" : nil
    case .targetDown(let name?):
      plan.endpoints.contains { $0.name == name }
        ? nil : "is about a target that is not watched; add --watch \(FlagError.quoted(name))"
    }
  }
}
