import Testing

@testable import PulseService

@Suite("AlertRule+Text")
struct AlertRuleTextTests {
  @Test(
    "A rule is read with and without blanks, a unit and a time",
    arguments: [
      ("cpu > 90 % for 30 s", .metric(.cpu, .above, 90), .time(.seconds(30))),
      ("cpu>90%for 30s", .metric(.cpu, .above, 90), .time(.seconds(30))),
      ("  memory  >=  80.5  ", .metric(.memory, .atLeast, 80.5), .observations(1)),
      ("disk <= 5 for 3 samples", .metric(.disk, .atMost, 5), .observations(3)),
      ("load < 0.5 for 500 ms", .metric(.load, .below, 0.5), .time(.milliseconds(500))),
      ("load > 400 for 1.5 min", .metric(.load, .above, 400), .time(.seconds(90))),
      ("cpu > 1 for 2 h", .metric(.cpu, .above, 1), .time(.seconds(7200))),
      ("target down", .target(name: nil, .down), .observations(1)),
      ("target down for 2 probes", .target(name: nil, .down), .observations(2)),
      ("http://a:80/b down for 1 min", .target(name: "http://a:80/b", .down), .time(.seconds(60))),
      ("target slower than 200 ms", .target(name: nil, .slower(than: .milliseconds(200))), .observations(1)),
      ("target slower than 1.5s for 3 probes", .target(name: nil, .slower(than: .seconds(1.5))), .observations(3)),
      ("target status >= 500", .target(name: nil, .status(.atLeast, 500)), .observations(1)),
      ("http://a status!=200 for 1 min", .target(name: "http://a", .status(.unequal, 200)), .time(.seconds(60))),
      ("target status = 204", .target(name: nil, .status(.equal, 204)), .observations(1)),
      ("target status = 100", .target(name: nil, .status(.equal, 100)), .observations(1)),
      ("target status = 999", .target(name: nil, .status(.equal, 999)), .observations(1)),
      (
        "target certificate expires within 14 days", .target(name: nil, .certificate(expiresWithin: .days(14))),
        .observations(1)
      ),
      (
        "https://a certificate expires within 36h for 2 d",
        .target(name: "https://a", .certificate(expiresWithin: .days(1.5))), .time(.days(2))
      ),
      ("cpu > 100 %", .metric(.cpu, .above, 100), .observations(1)),
      ("cpu > 99.9 %", .metric(.cpu, .above, 99.9), .observations(1)),
      ("cpu > 1 for 1000000000 s", .metric(.cpu, .above, 1), .time(.seconds(1_000_000_000))),
      ("cpu > 1 for 999999999 s", .metric(.cpu, .above, 1), .time(.seconds(999_999_999))),
      ("target down for 1000000000 probes", .target(name: nil, .down), .observations(1_000_000_000)),
      ("target down for 999999999 probes", .target(name: nil, .down), .observations(999_999_999)),
      ("load > 1" + zeros, .metric(.load, .above, 1e300), .observations(1)),
    ] as [(String, AlertRule.Condition, AlertRule.Hold)])
  func rules(text: String, condition: AlertRule.Condition, hold: AlertRule.Hold) throws {
    let rule = try AlertRule(text)
    #expect(rule == AlertRule(text: text, condition: condition, hold: hold))
  }

  @Test(
    "A rule may say how many successes end its alert, and how often webhooks are reminded of it",
    arguments: [
      ("target down", nil, nil), ("target down for 2 probes until 3 successes", 3, nil),
      ("target down until 1 success", 1, nil), ("cpu>90%for 30s until2successes remind every1h", 2, .seconds(3600)),
      ("target certificate expires within 14 days remind every 1 d", nil, .days(1)),
      ("load > 1 until 1000000000 successes", 1_000_000_000, nil),
      ("load > 1 for 1 min remind every 1000000000 s", nil, .seconds(1_000_000_000)),
    ] as [(String, Int?, Duration?)])
  func successes(text: String, recovery: Int?, reminder: Duration?) throws {
    let rule = try AlertRule(text)
    #expect(rule.recovery == recovery && rule.reminder == reminder && rule.text == text)
  }

  @Test(
    "A wrong rule is refused with what is wrong and a rule that is right",
    arguments: [
      ("", "begins with nothing where cpu, memory, disk, load, target or a URL should stand; \(metric)"),
      ("swap > 1", "begins with 'swap' where cpu, memory, disk, load, target or a URL should stand; \(metric)"),
      ("cpu", "lacks >, >=, < or <= behind 'cpu'; \(metric)"),
      ("cpu = 90", "lacks >, >=, < or <= behind 'cpu'; \(metric)"),
      ("cpu > many", "lacks a number behind '>'; \(metric)"),
      ("cpu > -1", "lacks a number behind '>'; \(metric)"),
      ("cpu > 1.2.3", "has a number that is broken or too large behind '>'; \(metric)"),
      ("cpu > 101 %", "has a share above 100 %; \(metric)"),
      ("cpu > 100.1 %", "has a share above 100 %; \(metric)"),
      ("load > 2" + zeros, "has a number that is broken or too large behind '>'; \(metric)"),
      ("cpu > 1 for 1000000001 s", "waits for more than 1000000000 seconds; \(metric)"),
      ("target down for 1000000001 probes", "lacks a whole number from 1 to 1000000000 before 'probes'; \(target)"),
      ("load > 4 %", "has a '%' behind a load, which is a plain number; write for example 'load > 4 for 1 min'"),
      ("cpu > 90 % for", "lacks a number above 0 behind 'for'; \(metric)"),
      ("cpu > 90 % for 0 s", "lacks a number above 0 behind 'for'; \(metric)"),
      ("cpu > 90 % for 2" + zeros + " s", "has a number that is broken or too large behind 'for'; \(metric)"),
      ("cpu > 90 % for 30", "lacks ms, s, min, h, d, probes or samples behind 'for'; \(metric)"),
      ("cpu > 90 % for 30 parsecs", "lacks ms, s, min, h, d, probes or samples behind 'for'; \(metric)"),
      ("cpu > 90 % for 3 successes", "lacks ms, s, min, h, d, probes or samples behind 'for'; \(metric)"),
      ("cpu > 90 % for 99999999 h", "waits for more than 1000000000 seconds; \(metric)"),
      ("cpu > 90 % for 30 s please", "has 'please' behind its end; \(metric)"),
      ("cpu > 90 % format", "has 'format' behind its end; \(metric)"),
      ("target up", "lacks 'down', 'slower than', 'status' or 'certificate' behind 'target'; \(target)"),
      ("target certificate", "lacks 'expires within' and a time above 0 behind 'certificate'; \(certificate)"),
      (
        "target certificate expires 14 d",
        "lacks 'expires within' and a time above 0 behind 'certificate'; \(certificate)"
      ),
      (
        "target certificate expires within 0 d",
        "lacks 'expires within' and a time above 0 behind 'certificate'; \(certificate)"
      ),
      (
        "target certificate expires within 2 probes",
        "lacks 'expires within' and a time above 0 behind 'certificate'; \(certificate)"
      ),
      ("target certificate expires within 14 d soon", "has 'soon' behind its end; \(certificate)"),
      ("target down until", "\(recovery)"), ("target down until 0 successes", "\(recovery)"),
      ("target down until 1.5 successes", "\(recovery)"), ("target down until 2 probes", "\(recovery)"),
      ("target down until 1000000001 successes", "\(recovery)"),
      ("target down remind 1 h", "\(reminder)"), ("target down remind every 0 s", "\(reminder)"),
      ("target down remind every 2 probes", "\(reminder)"),
      ("target down until 2 successes for 2 probes", "has 'for 2 probes' behind its end; \(target)"),
      ("target down remind every 1 h until 2 successes", "has 'until 2 successes' behind its end; \(target)"),
      ("target slower", "lacks 'than' and a time above 0 behind 'slower'; \(slow)"),
      ("target slower than 0 ms", "lacks 'than' and a time above 0 behind 'slower'; \(slow)"),
      ("target slower than 2 probes", "lacks 'than' and a time above 0 behind 'slower'; \(slow)"),
      ("target slower than 99999999 h", "waits for more than 1000000000 seconds; \(metric)"),
      ("target status 500", "lacks =, !=, >, >=, < or <= behind 'status'; \(status)"),
      ("target status > 99", "lacks a number from 100 to 999 behind 'status >'; \(status)"),
      ("target status > 1000", "lacks a number from 100 to 999 behind 'status >'; \(status)"),
      ("target status = 404 twice", "has 'twice' behind its end; \(status)"),
      ("cpu != 4", "lacks >, >=, < or <= behind 'cpu'; \(metric)"),
      ("target down for 1.5 probes", "lacks a whole number from 1 to 1000000000 before 'probes'; \(target)"),
      ("target down twice", "has 'twice' behind its end; \(target)"),
    ])
  func wrong(text: String, sentence: String) {
    let error = #expect(throws: AlertRuleError.self) { try AlertRule(text) }
    #expect(error?.description == sentence)
  }

  private static let zeros = String(repeating: "0", count: 300)
  private static let metric = "write for example 'cpu > 90 % for 30 s'"
  private static let target = "write for example 'target down for 2 probes'"
  private static let slow = "write for example 'target slower than 200 ms for 3 probes'"
  private static let status = "write for example 'target status >= 500'"
  private static let certificate = "write for example 'target certificate expires within 14 days'"
  private static let recovery =
    "lacks a whole number from 1 to 1000000000 and 'successes' behind 'until'; "
    + "write for example 'target down for 2 probes until 3 successes'"
  private static let reminder =
    "lacks 'every' and a time above 0 behind 'remind'; write for example 'target down remind every 1 h'"
}
