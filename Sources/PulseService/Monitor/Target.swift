/// An endpoint that is watched, and what is known of it.
struct Target: Codable, Sendable, Equatable {
  /// The result of one probe.
  enum Result: Codable, Sendable, Equatable {
    // The status is that of an HTTP answer; nil where there was none.
    case up(latency: Duration, status: Int? = nil)
    case down(reason: String, status: Int? = nil)

    var isDown: Bool {
      if case .down = self { true } else { false }
    }
  }

  var endpoint: Endpoint
  /// Whether a probe is under way.
  var isProbing = false
  /// The result of the newest probe that has ended; nil before the first.
  var result: Result?
  /// The latencies of the probes that were answered, in seconds.
  var latencies: Series

  /// One word for where the target stands: a probe under way comes before how the one before it ended.
  var word: String {
    if isProbing { return "probing" }
    return switch result {
    case .up: "up"
    case .down: "down"
    case nil: "unknown"
    }
  }
}
