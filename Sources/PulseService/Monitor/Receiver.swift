/// A webhook, and the counts of its notices.
struct Receiver: Codable, Sendable, Equatable {
  var webhook: Webhook
  /// The numbers of the changes whose notices have not been posted yet.
  private(set) var waiting: [Int] = []
  /// The number of notices that are being posted.
  private(set) var underWay = 0
  /// The number of notices that it has taken.
  private(set) var delivered = 0
  /// The number of notices that it was never given, or has not taken.
  private(set) var failed = 0
  /// The failure of the newest lost notice; nil while none has failed.
  private(set) var lastFailure: String?

  init(webhook: Webhook) {
    self.webhook = webhook
  }

  /// Whether it was never notified of anything.
  var isUntouched: Bool { underWay == 0 && delivered == 0 && failed == 0 }

  /// The counts that are not zero, and the last failure: `1 under way, 3 delivered, 1 failed: status 500`.
  var words: String {
    let counts = [(underWay, "under way"), (delivered, "delivered"), (failed, "failed")]
    let words = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    return words + (lastFailure.map { ": \($0)" } ?? "")
  }

  /// Keeps the number of a change that is to be posted.
  mutating func wait(for change: Int) {
    waiting.append(change)
  }

  /// Counts a notice of a change that is being posted.
  mutating func begin(_ change: Int) {
    waiting.removeAll { $0 == change }
    underWay = underWay.incremented
  }

  /// Counts a notice that was being posted and was taken.
  mutating func deliver() {
    end()
    delivered = delivered.incremented
  }

  /// Counts a notice that was being posted and was not taken, for this reason.
  mutating func fail(_ reason: String) {
    end()
    failed = failed.incremented
    lastFailure = reason
  }

  /// Counts a notice of a change that was never posted, for this reason, which says less than that of the failure which led to it.
  mutating func skip(_ change: Int, _ reason: String) {
    waiting.removeAll { $0 == change }
    failed = failed.incremented
    lastFailure = lastFailure ?? reason
  }

  /// A run that is cut between its last mutation and its end is counted by both.
  private mutating func end() {
    underWay = max(0, underWay - 1)
  }
}
