/// A webhook, and what is known of what it was told.
struct Receiver: Codable, Sendable, Equatable {
  var webhook: Webhook
  /// How many notices are being posted.
  var underWay = 0
  /// How many notices it has taken.
  var delivered = 0
  /// How many notices it was never given, or has not taken.
  var failed = 0
  /// Why the newest one of those was not taken; nil as long as none has failed.
  var lastFailure: String?

  /// Whether it was never told of anything.
  var isUntouched: Bool { underWay + delivered + failed == 0 }

  /// The counts that are not zero, and the last failure: `1 under way, 3 delivered, 1 failed: status 500`.
  var words: String {
    let counts = [(underWay, "under way"), (delivered, "delivered"), (failed, "failed")]
    let words = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    return words + (lastFailure.map { ": \($0)" } ?? "")
  }

  /// Counts one more that it has not taken, for this reason.
  mutating func fail(_ reason: String) {
    failed += 1
    lastFailure = reason
  }

  /// Counts one more that it was never given, for this reason, which says less than that of the failure which led to it.
  mutating func skip(_ reason: String) {
    failed += 1
    lastFailure = lastFailure ?? reason
  }
}
