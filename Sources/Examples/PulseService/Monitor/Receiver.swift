import Foundation

/// A webhook, the alerts that it knows or is owed notices of, and the counts of its notices.
struct Receiver: Codable, Sendable, Equatable {
  var webhook: Webhook
  /// The alerts that fire, and those whose end the webhook is owed; in the order of their first changes.
  private(set) var alerts: [KnownAlert] = []
  /// The number of notices that it has taken.
  private(set) var delivered = 0
  /// The number of attempts to post a notice that have failed.
  private(set) var failed = 0
  /// The reason of the newest failed attempt; nil while none has failed.
  private(set) var lastFailure: String?

  init(webhook: Webhook) {
    self.webhook = webhook
  }

  /// The number of notices that are being posted.
  var underWay: Int { alerts.count { $0.posting != nil } }

  /// The number of notices that are owed and not being posted.
  var waiting: Int { alerts.count { $0.isOwed && $0.posting == nil } }

  /// Whether it was never notified of anything, and is owed nothing.
  var isUntouched: Bool { underWay == 0 && waiting == 0 && delivered == 0 && failed == 0 }

  /// The changes of alerts that it is owed notices of.
  var owed: [AlertChange] { alerts.lazy.filter(\.isOwed).map(\.change) }

  /// The counts that are not zero, and the last failure: `1 under way, 2 waiting, 3 delivered, 1 failed: status 500`.
  var words: String {
    let counts = [(underWay, "under way"), (waiting, "waiting"), (delivered, "delivered"), (failed, "failed")]
    let words = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    return words + (lastFailure.map { ": \($0)" } ?? "")
  }

  /// The alert whose notice of exactly this change is owed; nil if that notice is not owed.
  func owing(_ change: AlertChange) -> KnownAlert? {
    alerts.first { $0.change.alert == change.alert && $0.change.number == change.number && $0.isOwed }
  }

  /// Takes a change of an alert, whose notice is then owed in place of those before; an end is owed only after a beginning.
  mutating func note(_ change: AlertChange) {
    if withAlert(change.alert, { $0.replaceChange(by: change) }) || !change.isFiring { return }
    alerts.append(KnownAlert(change))
  }

  /// Marks that a notice is being posted, with the key of the first attempt.
  mutating func begin(_ notice: Notice, idempotencyKey: String) {
    withAlert(notice.change.alert) { $0.begin(notice, idempotencyKey: idempotencyKey) }
  }

  /// Counts a notice that was being posted and was taken.
  mutating func deliver(_ change: AlertChange) {
    guard isPosting(change) else { return }
    delivered = delivered.incremented
    withAlert(change.alert) { $0.deliver(change) }
  }

  /// Counts a notice that was being posted and was not taken, for this reason.
  ///
  /// - Parameter mayHaveArrived: Whether it was sent, and only the answer is missing.
  mutating func fail(_ change: AlertChange, _ reason: String, mayHaveArrived: Bool) {
    // A run that ends before its notice was posted, or that is cut behind its last mutation, has nothing to count.
    guard isPosting(change) else { return }
    failed = failed.incremented
    lastFailure = reason
    withAlert(change.alert) { $0.fail(change, mayHaveArrived: mayHaveArrived) }
  }

  /// Adds what the same webhook knows of other alerts, and their counts.
  mutating func add(_ other: Receiver) {
    alerts += other.alerts
    delivered = min(delivered + other.delivered, .largestCount)
    failed = min(failed + other.failed, .largestCount)
    lastFailure = other.lastFailure ?? lastFailure
  }

  private func isPosting(_ change: AlertChange) -> Bool {
    alerts.contains { $0.change.alert == change.alert && $0.posting == change.number }
  }

  /// Changes an alert, and removes it if nothing is left of it to be remembered; false if it is not there.
  @discardableResult
  private mutating func withAlert(_ name: Alert.Name, _ change: (inout KnownAlert) -> Void) -> Bool {
    guard let index = alerts.firstIndex(where: { $0.change.alert == name }) else { return false }
    change(&alerts[index])
    if alerts[index].isSettled { alerts.remove(at: index) }
    return true
  }
}

/// A change of an alert, and a webhook that is owed the notice of it.
struct OwedNotice: Sendable, Hashable {
  let webhook: Webhook
  let change: AlertChange
}

extension PulseState {
  /// The notices that are true and have not arrived.
  var owedNotices: [OwedNotice] {
    receivers.flatMap { receiver in receiver.owed.map { OwedNotice(webhook: receiver.webhook, change: $0) } }
  }

  /// The alert, as a webhook knows it, of a change whose notice the webhook is owed; nil if it is not owed the notice any more.
  func owing(_ change: AlertChange, to webhook: Webhook) -> KnownAlert? {
    receivers.first { $0.webhook == webhook }?.owing(change)
  }
}

/// A message to a webhook: a change of an alert, and the time of its observation.
struct Notice: Codable, Sendable, Equatable {
  let change: AlertChange
  /// The wall-clock time.
  let time: Date
}
