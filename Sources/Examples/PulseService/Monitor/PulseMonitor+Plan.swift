import Millrace

extension PulseMonitor {
  /// The longest times of probes and notices.
  struct Limits: Sendable, Equatable {
    /// The time between two rounds of samples and probes.
    var interval: Duration = .seconds(1)
    /// The longest a sample of this machine takes.
    var reading: Duration = .seconds(1)
    /// The counters of the processors tick a hundred times a second: long enough to tell, short enough to wait for.
    var firstSample: Duration = .milliseconds(100)
    /// The longest one attempt at a probe takes.
    var probe: Duration = .milliseconds(2_250)
    /// The time by which the limit of a probe's gateway is shorter than that of its attempt: only the gateway knows what has not arrived.
    var grace: Duration = .milliseconds(250)
    /// The longest the look-up of a webhook's name takes, and the longest the request behind it.
    var post: Duration = .seconds(5)
    /// The longest one attempt at a notice takes: longer than its two parts, whose ends say whether the notice may have arrived.
    func notice(to webhook: Webhook) -> Duration { (webhook.limit ?? post) * 3 }
    /// The longest one attempt at a probe of an endpoint takes, which may have a limit of its own.
    func probe(of endpoint: Endpoint) -> Duration { endpoint.limit.map { $0 + grace } ?? probe }

    /// The longest it takes to read the rules.
    var rules: Duration = .seconds(5)
  }

  /// The key that actions have in common.
  enum Key: Sendable, Hashable {
    case sample
    case probe(Endpoint)
    case rules
    case notices(of: Alert.Name, to: Webhook)
  }

  /// The number of attempts at a probe before its target is down.
  static let probeAttempts = 3

  /// The time between two attempts at a notice.
  static let noticeBackoff = Plan.Backoff.exponential(initial: .milliseconds(500), maximum: .seconds(60))

  /// The longest time for which a webhook is left alone that asks for it.
  static let longestPause: Duration = .seconds(3600)

  /// The plan of an action.
  ///
  /// An endpoint that hangs for longer than the time between two rounds is probed once, not again and again. A probe is
  /// over when the next one is due, but has the time of one attempt at least; its pauses are small parts of the interval.
  /// The notices of one alert reach a webhook in their order. An action makes one attempt at a notice, and the ``Notifier`` makes the
  /// next one, so that a webhook that is away takes no slot.
  ///
  /// After a crash every action is abandoned, because each process begins with them, and with the notices that the state owes.
  func plan(for action: Action, state: State) -> Plan {
    switch action {
    case .sample:
      .exclusive(key: Key.sample).timeout(limits.reading)
    case .probe(let endpoint):
      .exclusive(key: Key.probe(endpoint))
        .timeout(max(endpoint.interval ?? limits.interval, limits.probe(of: endpoint)))
        .attemptTimeout(limits.probe(of: endpoint))
        .retry(
          Self.probeAttempts,
          backoff: .exponential(initial: min((endpoint.interval ?? limits.interval) / 10, .seconds(1))))
    case .readRules:
      .latest(key: Key.rules).timeout(limits.rules)
    case .notify(let webhook, let notice, _):
      .serial(key: Key.notices(of: notice.change.alert, to: webhook)).attemptTimeout(limits.notice(to: webhook))
    case .start, .showRecordingFailure:
      .concurrent
    }
  }
}
