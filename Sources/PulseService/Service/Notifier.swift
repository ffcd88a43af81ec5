import Foundation
import Millrace
import MillraceJournal

/// Has the store tell the webhooks of each change of an alert.
struct Notifier: Sendable {
  let store: Store<PulseMonitor>
  let webhooks: [Webhook]
  /// Reports the loss of a notice that the state of an ending store can no longer show.
  let complaints: Complaints
  /// The wall-clock time.
  let now: @Sendable () -> Date

  /// Collects changes until the store is shut down and every notice has ended.
  ///
  /// The changes stand in the state until they are collected, so that none is missed whatever an observer skips.
  func run() async {
    await withDiscardingTaskGroup { group in
      var last = 0
      for await changes in store.values(of: \.changes) {
        // What was sent stands there until it is collected.
        for change in changes where change.number > last {
          let notice = Notice(change: change, time: now())
          for webhook in webhooks {
            let receipt = store.send(.notify(webhook, notice))
            group.addTask { await follow(receipt, notice, webhook) }
          }
        }
        guard let newest = changes.last?.number, newest > last else { continue }
        last = newest
        store.send(.collect(through: newest))
      }
    }
  }

  /// Counts a notice that was given up while it waited: of those the interactor is not told.
  private func follow(_ receipt: Receipt, _ notice: Notice, _ webhook: Webhook) async {
    guard let reason = Self.lossReason(await receipt.outcome), await receipt.firstCommit == nil else { return }
    guard case .rejected = await store.send(.skip(webhook, reason: reason)).outcome else { return }
    await complaints.say(
      "pulse has ended without telling \(webhook.name) that '\(notice.change.alert.rule)' is "
        + "\(notice.change.isFiring ? "firing" : "resolved"): \(reason).")
  }

  /// The reason for which a notice was not posted; nil if it was, or if the report of the shutdown lists it.
  private static func lossReason(_ outcome: Outcome) -> String? {
    switch outcome {
    case .finished, .shutDown, .rejected(.shuttingDown): nil
    // The next process posts it.
    case .failed(is JournalError), .rejected(.journal): nil
    case .timedOut: "it has waited for too long"
    case .rejected(.breakerOpen): "left alone after several failures"
    case .rejected(.full): "too many notices wait"
    case .failed, .cancelled, .superseded, .rejected, .abandoned: "\(outcome)"
    }
  }
}
