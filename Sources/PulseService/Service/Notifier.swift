import Foundation
import Millrace
import MillraceJournal

/// Has the store tell the webhooks of each change of an alert.
struct Notifier: Sendable {
  let store: Store<PulseMonitor>
  /// Reports the loss of a notice that the state of an ending store can no longer show.
  let complaints: Complaints
  /// The wall-clock time.
  let now: @Sendable () -> Date
  /// The number of the newest change whose notices were sent.
  private let sent: AsyncStream<Int>
  private let sending: AsyncStream<Int>.Continuation

  init(store: Store<PulseMonitor>, complaints: Complaints, now: @escaping @Sendable () -> Date) {
    self.store = store
    self.complaints = complaints
    self.now = now
    (sent, sending) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Sends a notice of each change to each webhook that waits for it, until the store is shut down and every notice has ended.
  ///
  /// A change stands in the state until its notices are posted or given up, so that none is missed whatever an observer skips, and
  /// whenever the process before this one has crashed.
  func run() async {
    await withDiscardingTaskGroup { group in
      var last = 0
      for await outbox in store.values(of: \.outbox) {
        // What was sent stands there until it is posted.
        for outgoing in outbox where outgoing.change.number > last {
          let notice = Notice(change: outgoing.change, time: now())
          for webhook in outgoing.webhooks {
            let receipt = store.send(.notify(webhook, notice))
            group.addTask { await follow(receipt, notice, webhook) }
          }
          last = outgoing.change.number
          sending.yield(last)
        }
      }
    }
    sending.finish()
  }

  /// Waits until the notices of a change were sent, or until the store is shut down; one caller may wait.
  func waitUntilSent(_ change: Int) async {
    for await number in sent where number >= change { return }
  }

  /// Counts a notice that was given up while it waited: of those the interactor is not told.
  private func follow(_ receipt: Receipt, _ notice: Notice, _ webhook: Webhook) async {
    guard let reason = Self.lossReason(await receipt.outcome), await receipt.firstCommit == nil else { return }
    let skip = PulseMonitor.Action.skip(webhook, change: notice.change.number, reason: reason)
    guard case .rejected = await store.send(skip).outcome else { return }
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
