import Foundation
import Millrace
import MillraceRecording
import Testing

@testable import PulseService

@Suite("PulseRecorder")
struct PulseRecorderTests {
  private let redaction = PulseRedaction.withoutSecrets

  @Test("Of a webhook its name and host are recorded, the same everywhere")
  func hiding() throws {
    let secrets = [
      "http://hooks/one-secret", "http://user:password@hooks/two-secret?key=1#part", "https://[::1]:8/x",
    ]
    let webhooks = try secrets.map { try Webhook($0) }.named
    #expect(webhooks.map(\.name) == ["http://hooks/…", "http://…@hooks/…", "https://[::1]:8/…"])
    for webhook in webhooks {
      let shown = webhook.redacted
      #expect(shown != webhook && shown.name == webhook.name)
      #expect(redaction.mutation(.notifying(webhook, .fake(1))) == .notifying(shown, .fake(1)))
      #expect(redaction.mutation(.notified(webhook, .fake(1))) == .notified(shown, .fake(1)))
      #expect(
        redaction.mutation(.notifyFailed(webhook, .fake(1), reason: "r", mayHaveArrived: true))
          == .notifyFailed(shown, .fake(1), reason: "r", mayHaveArrived: true))
      #expect(redaction.state(PulseState(webhooks: [webhook])) == PulseState(webhooks: [shown]))
    }
    let notice = Notice(
      change: AlertChange(number: 1, alert: Alert.Name(rule: "r", subject: "s"), isFiring: true), time: Date())
    #expect(redaction.action(.notify(webhooks[0], notice)) == .notify(webhooks[0].redacted, notice))
    #expect(redaction.action(.sample) == .sample)
    let start = redaction.action(.start(Configuration(webhooks: webhooks), at: notice.time))
    #expect(start == .start(Configuration(webhooks: webhooks.map(\.redacted)), at: notice.time))
  }

  @Test("Of an endpoint neither user nor password nor query is recorded, and what is reduced without them is the same")
  func endpoints() throws {
    let urls = [
      "http://wilma:fortuna@web.test/health?token=sesame", "http://wilma:fortuna@web.test/health?token=mellon#gandalf",
      "http://web.test/health", "tcp://database.test:5432",
    ]
    let endpoints = try urls.map { try Endpoint($0) }.named
    let targets = TargetNames(endpoints)
    let rules = try (["target down", "load > 9"] + urls.map { " \($0) down" }).map { try AlertRule($0, about: targets) }
    let down = Target.Result.down(reason: "gone")
    let configuration = Configuration(endpoints: endpoints, rules: rules, webhooks: [.chat])
    var mutations = endpoints.flatMap { [PulseMutation.probing($0), .probed($0, down, at: .seconds(1))] }
    mutations += [
      .rulesRead(Array(rules[1...2])), .notifying(.chat, .fake(1)), .probeEnded(endpoints[1]),
      .probed(endpoints[0], .up(latency: .milliseconds(1)), at: .seconds(2)),
      .started(configuration, at: Date(timeIntervalSince1970: 0)), .probing(endpoints[0]),
      .certificateRead(endpoints[0], .unreadable, at: .seconds(3)),
    ]
    var state = PulseState(rules: rules, webhooks: [.chat])
    var hidden = redaction.state(state)
    for mutation in mutations {
      PulseMonitor.reduce(into: &state, mutation: mutation)
      PulseMonitor.reduce(into: &hidden, mutation: redaction.mutation(mutation))
      #expect(redaction.state(state) == hidden)
      for json in [try JSONEncoder().encode(hidden), try JSONEncoder().encode(redaction.mutation(mutation))] {
        let text = String(decoding: json, as: UTF8.self)
        for word in ["wilma", "fortuna", "sesame", "mellon", "gandalf"] { #expect(!text.contains(word)) }
      }
    }
    #expect(
      hidden.targets.map(\.endpoint.name) == [
        "http://…@web.test/health?…", "http://…@web.test/health?…#2", "http://web.test/health",
        "tcp://database.test:5432",
      ])
    #expect(hidden.changeCount > 2)
  }

  @Test("Of an endpoint the same is recorded in actions and requests")
  func endpointsOfCalls() throws {
    let (secret, webhook) = (Endpoint.guarded, Webhook.chat)
    let rule = try AlertRule("\(secret.name) down")
    let notice = Notice(
      change: AlertChange(
        number: 1, alert: Alert.Name(rule: rule.text, subject: secret.name), isFiring: true),
      time: Date(timeIntervalSince1970: 0))
    #expect(redaction.action(.probe(secret)) == .probe(secret.redacted))
    #expect(redaction.action(.notify(webhook, notice)) == .notify(webhook.redacted, notice))
    #expect(redaction.request("probe", secret) as? Endpoint == secret.redacted)
    #expect(
      redaction.request("post", WebhookPost(webhook: webhook, notice: notice)) as? WebhookPost
        == WebhookPost(webhook: webhook.redacted, notice: notice))
    #expect(redaction.reply("rules", ConfigurationReading.rules([rule])) as? ConfigurationReading == .rules([rule]))
    let configuration = Configuration(endpoints: [secret], rules: [rule], webhooks: [webhook])
    #expect(
      redaction.reply("rules", ConfigurationReading.all(configuration)) as? ConfigurationReading
        == .all(configuration.redacted))
    #expect(redaction.mutation(.configured(configuration)) == .configured(configuration.redacted))
    #expect(
      redaction.state(PulseState(endpoints: [secret], webhooks: [webhook]))
        == PulseState(endpoints: [secret.redacted], webhooks: [webhook.redacted]))
    let json = try JSONEncoder().encode(WebhookPost(webhook: webhook.redacted, notice: notice))
    #expect(!String(decoding: json, as: UTF8.self).contains("secret"))
  }

  @Test("Of an error that an action ends with, the text is recorded if it is of a gateway, and else the type")
  func errors() {
    #expect(redaction.error("probe", GatewayFailure.status(503)) == "status 503")
    #expect(redaction.error("sample", MachineFailure("no /proc")) == "no /proc")
    #expect(redaction.error("readRules", RulesFileError("whose rule is secret")) == "PulseService.RulesFileError")
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
