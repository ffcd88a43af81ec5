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
    var probe: Duration = .seconds(2)
    /// The longest one attempt to post a notice takes.
    var post: Duration = .seconds(5)
    /// The age at which a notice is too old to be posted.
    var notice: Duration = .seconds(60)
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

  /// The number of attempts at a notice before it is given up.
  static let noticeAttempts = 4

  /// A webhook that fails so often in a row is left alone for a while.
  static let breaker = Plan.Breaker(failures: 5, within: .seconds(60), openFor: .seconds(30))

  /// The plan of an action.
  ///
  /// An endpoint that hangs for longer than the time between two rounds is probed once, not again and again. A probe is
  /// over when the next one is due, but has the time of one attempt at least; its pauses are small parts of the interval.
  /// The notices of one alert reach a webhook in their order, and no alert waits for another one.
  ///
  /// After a crash a notice is posted again, with its idempotency key, because no later action would repeat it. A sample, a probe and the
  /// reading of the rules are abandoned, because each process begins with them.
  func plan(for action: Action) -> Plan {
    switch action {
    case .sample:
      .exclusive(key: Key.sample).timeout(limits.reading)
    case .probe(let endpoint):
      .exclusive(key: Key.probe(endpoint))
        .timeout(max(limits.interval, limits.probe))
        .attemptTimeout(limits.probe)
        .retry(Self.probeAttempts, backoff: .exponential(initial: min(limits.interval / 10, .seconds(1))))
    case .readRules:
      .latest(key: Key.rules).timeout(limits.rules)
    case .notify(let webhook, let notice):
      .serial(key: Key.notices(of: notice.change.alert, to: webhook))
        .timeout(limits.notice)
        .attemptTimeout(limits.post)
        .retry(Self.noticeAttempts, backoff: .exponential(initial: .milliseconds(500)))
        .breaker(Self.breaker, key: webhook)
        .recovery(.handleAgain)
    case .start, .skip, .showRecordingFailure:
      .concurrent
    }
  }
}
