import Foundation

/// What stands in a recording in place of URLs that have secrets: the same everywhere, so that a replay leads to what was recorded.
///
/// Of a webhook, whose whole rest is often its only secret, its host and a number are left; of an endpoint its host and path, with
/// a number in place of user, password, query and fragment if it has any of these. The numbers keep those apart that are the same
/// without their secrets.
struct PulseSecrets: Sendable {
  private let webhooks: [Webhook: Webhook]
  private let endpoints: [Endpoint: Endpoint]

  /// - Parameters:
  ///   - webhooks: all that are told of alerts.
  ///   - endpoints: all that are watched.
  init(webhooks: [Webhook], endpoints: [Endpoint]) {
    self.webhooks = Dictionary(
      zip(webhooks, 1...).map { ($0, $0.hidden(number: $1)) }, uniquingKeysWith: { first, _ in first })
    self.endpoints = Dictionary(
      zip(endpoints, 1...).map { ($0, $0.hidden(number: $1)) }, uniquingKeysWith: { first, _ in first })
  }

  // There are no others: what is not known here is not recorded either.

  func hide(_ webhook: Webhook) -> Webhook { webhooks[webhook] ?? webhook.hidden(number: 0) }

  func hide(_ endpoint: Endpoint) -> Endpoint { endpoints[endpoint] ?? endpoint.hidden(number: 0) }

  func hide(_ rule: AlertRule) -> AlertRule {
    guard case .targetDown(let name?) = rule.condition else { return rule }
    return AlertRule(text: hide(rule: rule.text), condition: .targetDown(name: hide(name: name)), hold: rule.hold)
  }

  func hide(_ notice: Notice) -> Notice { Notice(change: hide(notice.change), time: notice.time) }

  func hide(_ post: WebhookPost) -> WebhookPost {
    WebhookPost(webhook: hide(post.webhook), notice: hide(post.notice))
  }

  func hide(_ state: PulseState) -> PulseState {
    var state = state
    state.rules = state.rules.map { hide($0) }
    state.rulesFailure = state.rulesFailure.map { hide(reason: $0) }
    state.targets = state.targets.map { target in
      Target(
        endpoint: hide(target.endpoint), isProbing: target.isProbing, result: target.result,
        latencies: target.latencies)
    }
    state.alerts = state.alerts.map { alert in
      Alert(rule: hide(alert.rule), subject: hide(name: alert.subject), status: alert.status)
    }
    for index in state.receivers.indices {
      state.receivers[index].webhook = hide(state.receivers[index].webhook)
    }
    state.changes = state.changes.map { hide($0) }
    return state
  }

  /// Why a rules file was not taken: that quotes what its user wrote, and so names URLs that nobody watches.
  func hide(reason: String) -> String { reason.replacing(#/\S+:\/\/\S+/#, with: "a URL") }

  private func hide(_ change: AlertChange) -> AlertChange {
    AlertChange(
      number: change.number,
      alert: Alert.Name(rule: hide(rule: change.alert.rule), subject: hide(name: change.alert.subject)),
      isFiring: change.isFiring, value: change.value, reason: change.reason)
  }

  /// The name of a target; that of a metric stays.
  private func hide(name: String) -> String {
    (try? Endpoint(name)).map { hide($0).name } ?? name
  }

  /// The text of a rule: where it is about one target, that is its first word.
  private func hide(rule text: String) -> String {
    let blanks = text.prefix(while: \.isWhitespace)
    let rest = text.dropFirst(blanks.count)
    let word = rest.prefix { !$0.isWhitespace }
    return blanks + hide(name: String(word)) + rest.dropFirst(word.count)
  }
}

extension Webhook {
  /// The same host, with a number in place of all that may be a secret.
  fileprivate func hidden(number: Int) -> Webhook {
    Webhook(
      url: url.hidden(number: number) { parts in
        parts.path = "/\(number)"
        parts.query = nil
      })
  }
}

extension Endpoint {
  /// The same host and path, with a number in place of all that may be a secret; itself if it has nothing of that.
  fileprivate func hidden(number: Int) -> Endpoint {
    guard case .http(let url) = kind else { return self }
    if let parts = URLComponents(url: url, resolvingAgainstBaseURL: false),
      [parts.user, parts.password, parts.query, parts.fragment].allSatisfy({ $0 == nil })
    {
      return self
    }
    return Endpoint(known: url.hidden(number: number) { $0.query = "\(number)" })
  }
}

extension URL {
  /// The same without user, password and fragment, and with another rest; the number alone if it cannot be taken apart.
  fileprivate func hidden(number: Int, _ change: (inout URLComponents) -> Void) -> URL {
    let nowhere = URL(filePath: "/\(number)")
    guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: false) else { return nowhere }
    parts.user = nil
    parts.password = nil
    parts.fragment = nil
    change(&parts)
    return parts.url ?? nowhere
  }
}
