import Foundation
import Testing

@testable import PulseService

@Suite("TargetCondition")
struct TargetConditionTests {
  @Test(
    "A result is compared with what a rule is about, and says nothing where there is nothing to compare",
    arguments: [
      (.down, .up(latency: .seconds(1)), .init(isMet: false, value: 1)),
      (.down, .down(reason: "no"), .init(isMet: true, value: 0)),
      (.slower(than: .seconds(1)), .up(latency: .seconds(2)), .init(isMet: true, value: 2)),
      (.slower(than: .seconds(1)), .up(latency: .seconds(1)), .init(isMet: false, value: 1)),
      (.slower(than: .seconds(1)), .down(reason: "no"), nil),
      (.status(.atLeast, 500), .up(latency: .zero, status: 200), .init(isMet: false, value: 200)),
      (.status(.atLeast, 500), .down(reason: "status 503", status: 503), .init(isMet: true, value: 503)),
      (.status(.unequal, 200), .up(latency: .zero, status: 204), .init(isMet: true, value: 204)),
      (.status(.equal, 404), .down(reason: "refused"), nil), (.status(.equal, 404), .up(latency: .zero), nil),
      (.certificate(expiresWithin: .days(14)), .up(latency: .zero, status: 200), nil),
      (.certificate(expiresWithin: .days(14)), .down(reason: "no"), nil),
    ] as [(TargetCondition, Target.Result, TargetCondition.Observation?)])
  func observation(condition: TargetCondition, result: Target.Result, expected: TargetCondition.Observation?) {
    #expect(condition.observation(of: result) == expected)
  }

  @Test(
    "A certificate expires within a time, or may, and has words for it",
    arguments: [
      (.expires(after: .days(14) + .seconds(1)), false, 14 + 1 / 86_400, "the certificate expires in 14 d 0 h"),
      (.expires(after: .days(14)), true, 14, "the certificate expires in 14 d 0 h"),
      (.expires(after: .days(0.5)), true, 0.5, "the certificate expires in 12 h 0 min"),
      (.expires(after: .zero), true, 0, "the certificate has expired; renew it"),
      (.unreadable, true, nil, "the date at which the certificate expires cannot be read"),
    ] as [(CertificateReading, Bool, Double?, String)])
  func certificate(reading: CertificateReading, isMet: Bool, days: Double?, words: String) {
    #expect(reading.expires(within: .days(14)) == isMet)
    #expect(reading.days == days && reading.words == words)
  }

  @Test("A reading has the time until the expiry, which no certificate makes too long for a journal")
  func expiry() throws {
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    #expect(CertificateReading(expiry: now + 60, at: now) == .expires(after: .seconds(60)))
    #expect(CertificateReading(expiry: now - 60, at: now) == .expires(after: .zero))
    #expect(CertificateReading(expiry: nil, at: now) == .unreadable)
    // The end of a certificate that is to be valid for ever.
    let reading = CertificateReading(expiry: Date(timeIntervalSince1970: 253_402_300_799), at: now)
    #expect(!reading.expires(within: .seconds(1_000_000_000)))
    #expect(try JSONDecoder().decode(CertificateReading.self, from: try JSONEncoder().encode(reading)) == reading)
  }

  @Test(
    "A rule about certificates needs a target by https",
    arguments: [
      ("target certificate expires within 14 days", ["http://a", "tcp://b:1"], false),
      ("target certificate expires within 14 days", ["http://a", "https://a"], true),
      ("http://a certificate expires within 14 days", ["http://a", "https://a"], false),
      ("https://a certificate expires within 14 days", ["http://a", "https://a"], true),
    ])
  func certificateTargets(text: String, urls: [String], isRead: Bool) throws {
    let targets = TargetNames(try urls.map { try Endpoint($0) })
    guard isRead else {
      let error = #expect(throws: AlertRuleError.self) { try AlertRule(text, about: targets) }
      #expect(
        error?.description == "is about a certificate, which only a target by https:// has; "
          + "add for example --watch https://localhost:8443")
      return
    }
    #expect(try AlertRule(text, about: targets).certificateLimit == .days(14))
  }

  @Test(
    "An alert about a slow target begins and ends by what was measured, and is left alone by a probe without an answer")
  func slow() throws {
    var state = PulseState(rules: [try AlertRule("target slower than 200 ms")], webhooks: [.chat])
    let results: [Target.Result] = [
      .up(latency: .milliseconds(100)), .up(latency: .milliseconds(300)), .down(reason: "no"),
      .up(latency: .milliseconds(200)),
    ]
    var values: [Double?] = []
    let words = results.enumerated().map { second, result in
      state.apply(.probed(.web, result, at: .seconds(second)))
      values += state.owedNotices.map(\.change.value)
      state.deliverAll()
      return state.alerts.map(\.status.word)
    }
    #expect(words == [["ok"], ["firing"], ["firing"], ["resolved"]])
    #expect(values == [0.3, 0.2])
  }
}

extension Duration {
  static func days(_ days: Double) -> Duration { .seconds(days * 86_400) }
}
