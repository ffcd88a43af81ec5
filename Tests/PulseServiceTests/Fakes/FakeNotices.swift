import Foundation

@testable import PulseService

extension AlertChange {
  /// A change of an alert of no target; an odd number is a beginning.
  static func fake(_ number: Int, of rule: String = "load > 9") -> AlertChange {
    AlertChange(number: number, alert: .init(rule: rule, subject: "load"), isFiring: !number.isMultiple(of: 2))
  }
}

extension Notice {
  static func fake(_ number: Int, of rule: String = "load > 9") -> Notice {
    Notice(change: .fake(number, of: rule), time: Date(timeIntervalSince1970: 1_700_000_000))
  }
}

extension PulseMonitor.Action {
  /// An attempt at a fake notice, with its number as the key.
  static func notify(_ webhook: Webhook, _ notice: Notice) -> PulseMonitor.Action {
    .notify(webhook, notice, idempotencyKey: "key-\(notice.change.number)")
  }
}

extension PulseMutation {
  /// The begin of an attempt at a fake notice, with its number as the key.
  static func notifying(_ webhook: Webhook, _ notice: Notice) -> PulseMutation {
    .notifying(webhook, notice, idempotencyKey: "key-\(notice.change.number)")
  }
}

extension PulseState {
  /// A state that owes each of these webhooks the notices of these changes.
  init(owing changes: AlertChange..., to webhooks: [Webhook]) {
    self.init(webhooks: webhooks)
    changeCount = changes.map(\.number).max() ?? 0
    for index in receivers.indices { changes.forEach { receivers[index].note($0) } }
  }
}

extension PulseState {
  /// Marks all that each webhook is owed as taken.
  mutating func deliverAll() {
    for owed in owedNotices {
      apply(.notifying(owed.webhook, Notice(change: owed.change, time: Notice.fake(1).time)))
      apply(.notified(owed.webhook, owed.change))
    }
  }
}
