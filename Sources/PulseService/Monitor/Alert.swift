/// A rule applied to one subject: a metric of this machine, or a target.
struct Alert: Codable, Sendable, Equatable {
  /// The identity of an alert.
  struct Name: Codable, Sendable, Hashable {
    /// The rule as it was written.
    let rule: String
    let subject: String
  }

  let rule: AlertRule
  /// The name of the metric or of the target.
  let subject: String
  var status: AlertStatus = .ok

  var name: Name { Name(rule: rule.text, subject: subject) }

  /// Takes one more observation of the subject into account.
  ///
  /// - Returns: whether the alert has begun or ended by it.
  mutating func observe(isMet: Bool, at time: Duration) -> Bool {
    let wasFiring = status.isFiring
    status = status.next(isMet: isMet, at: time, hold: rule.hold)
    return status.isFiring != wasFiring
  }
}
