import Foundation
import Millrace
import MillraceRecording
import Testing

@testable import PulseService

@Suite("PulseRecorder")
struct PulseRecorderTests {
  private let secrets = [
    "http://hooks/one-secret", "http://user:password@hooks/two-secret?key=1#part", "https://[::1]:8/x",
  ]
  private let hidden = ["http://hooks/1", "http://hooks/2", "https://[::1]:8/3"]

  private func redaction() throws -> PulseRedaction {
    .hiding(try secrets.map { try Webhook($0) })
  }

  @Test("Of a webhook its host and its number are recorded, the same everywhere")
  func hiding() throws {
    let redaction = try redaction()
    for (secret, hidden) in zip(secrets, hidden) {
      let (webhook, shown) = (try Webhook(secret), try Webhook(hidden))
      #expect(redaction.action(.skip(webhook, reason: "r")) == .skip(shown, reason: "r"))
      #expect(redaction.mutation(.notifying(webhook)) == .notifying(shown))
      #expect(redaction.mutation(.notified(webhook)) == .notified(shown))
      #expect(redaction.mutation(.notifyFailed(webhook, reason: "r")) == .notifyFailed(shown, reason: "r"))
      #expect(redaction.mutation(.notifySkipped(webhook, reason: "r")) == .notifySkipped(shown, reason: "r"))
      #expect(redaction.state(PulseState(webhooks: [webhook])) == PulseState(webhooks: [shown]))
    }
    let notice = Notice(
      change: AlertChange(number: 1, alert: Alert.Name(rule: "r", subject: "s"), isFiring: true), time: Date())
    #expect(redaction.action(.notify(try Webhook(secrets[0]), notice)) == .notify(try Webhook(hidden[0]), notice))
    #expect(redaction.action(.sample) == .sample)
  }

  @Test("A state is encoded the same in every process, and comes back as it was")
  func coding() throws {
    let rules = try ["cpu > 90 % for 30 s", "target down for 2 probes", "tcp://db:5432 down"].map { try AlertRule($0) }
    var state = PulseState(rules: rules, webhooks: [try Webhook("http://hooks/x")], historyLimit: 2)
    let endpoint = try Endpoint("http://a/b")
    for latency in 1...3 {
      PulseMonitor.reduce(into: &state, mutation: .probing(endpoint))
      PulseMonitor.reduce(
        into: &state, mutation: .probed(endpoint, .up(latency: .milliseconds(latency)), at: .seconds(latency)))
    }
    PulseMonitor.reduce(into: &state, mutation: .probed(endpoint, .down(reason: "gone"), at: .milliseconds(4_001)))
    let data = try JSONEncoder().encode(state)
    #expect(try JSONDecoder().decode(PulseState.self, from: data) == state)
    // A dictionary whose keys are no strings would be a list in an order of its own.
    #expect(String(decoding: data, as: UTF8.self).contains("\"series\":{"))
  }
}
