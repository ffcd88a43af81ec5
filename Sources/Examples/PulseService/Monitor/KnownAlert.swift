import Foundation

/// An alert as a webhook knows it: the newest change, and whether the webhook has been notified that the alert fires.
///
/// A notice is owed as long as it is true and has not arrived: of an alert that fires until the webhook has taken it, and of one that has
/// ended only to a webhook that was notified of its beginning.
struct KnownAlert: Codable, Sendable, Equatable {
  /// The first attempt at a notice, whose key and time the further attempts have.
  struct FirstAttempt: Codable, Sendable, Equatable {
    let idempotencyKey: String
    /// The wall-clock time.
    let time: Date
  }

  /// The newest change of the alert.
  private(set) var change: AlertChange
  /// Whether the webhook has taken the notice of the newest change.
  private(set) var isDelivered = false
  /// Whether a notice that the alert fires has arrived, or was sent without an answer, and none of its end has arrived since.
  private(set) var hasHeardOfFiring = false
  /// The first attempt at the notice of the newest change; nil before it.
  private(set) var firstAttempt: FirstAttempt?
  /// The number of the change whose notice is being posted.
  private(set) var posting: Int?

  init(_ change: AlertChange) {
    self.change = change
  }

  /// Whether the webhook is owed a notice of the newest change.
  var isOwed: Bool { !isDelivered && (change.isFiring || hasHeardOfFiring) }

  /// Whether nothing is left to be done or to be remembered.
  var isSettled: Bool { posting == nil && !change.isFiring && !isOwed }

  /// Takes a change in place of the one before, whose notice is not owed any more.
  ///
  /// A reminder changes nothing as long as the notice that the alert fires is owed.
  mutating func replaceChange(by newer: AlertChange) {
    if newer.isFiring, change.isFiring, !isDelivered { return }
    change = newer
    isDelivered = false
    firstAttempt = nil
  }

  /// Marks that a notice is being posted.
  mutating func begin(_ notice: Notice, idempotencyKey: String) {
    posting = notice.change.number
    guard notice.change.number == change.number, firstAttempt == nil else { return }
    firstAttempt = FirstAttempt(idempotencyKey: idempotencyKey, time: notice.time)
  }

  /// Marks that the webhook has taken the notice of a change.
  mutating func deliver(_ delivered: AlertChange) {
    posting = nil
    hasHeardOfFiring = delivered.isFiring
    if delivered.number == change.number { isDelivered = true }
  }

  /// Marks that the webhook has not taken the notice of a change, or has taken it without an answer.
  mutating func fail(_ failed: AlertChange, mayHaveArrived: Bool) {
    posting = nil
    if failed.isFiring, mayHaveArrived { hasHeardOfFiring = true }
  }
}

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
  /// The time of the newest reminder; nil before the first.
  private(set) var reminded: Duration?

  var name: Name { Name(rule: rule.text, subject: subject) }

  /// Takes one more observation of the subject into account.
  ///
  /// - Returns: whether the alert has begun or ended by it, or a reminder is due.
  mutating func observe(isMet: Bool, at time: Duration) -> Bool {
    let wasFiring = status.isFiring
    status = status.next(isMet: isMet, at: time, hold: rule.hold, recovery: rule.recovery ?? 1)
    if status.isFiring != wasFiring { return true }
    guard isMet, let interval = rule.reminder, case .firing(let start, _) = status,
      time - max(start, reminded ?? start) >= interval
    else { return false }
    reminded = time
    return true
  }
}

/// An alert has begun or ended, or a reminder says that it fires still.
struct AlertChange: Codable, Sendable, Hashable {
  /// Counted from 1 over all alerts.
  let number: Int
  let alert: Alert.Name
  let isFiring: Bool
  /// The number that the condition was compared with, as in ``NoticeDocument/value``.
  var value: Double?
  /// The reason for which a target is down, the time until its certificate expires, or the reason for which an alert ended without an
  /// observation.
  var reason: String?
}
