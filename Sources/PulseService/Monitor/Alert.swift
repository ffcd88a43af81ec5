/// A rule applied to one subject: a metric of this machine, or a target.
struct Alert: Sendable, Equatable {
  let rule: AlertRule
  /// The name of the metric or of the target.
  let subject: String
  var status: AlertStatus = .ok

  /// Takes one more observation of the subject into account.
  mutating func observe(isMet: Bool, at time: Duration) {
    status = status.next(isMet: isMet, at: time, hold: rule.hold)
  }
}
