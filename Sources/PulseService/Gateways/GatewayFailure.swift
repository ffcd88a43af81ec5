/// Why something outside of this service did not do what it was asked for, in a few words: "connection refused".
struct GatewayFailure: Error, Equatable, Codable, CustomStringConvertible {
  let description: String
  /// Whether the same request would fail again a moment later, so that another attempt is of no use.
  let isLasting: Bool

  /// A failure that another attempt may mend.
  init(_ reason: String) {
    description = reason
    isLasting = false
  }

  private init(lasting reason: String) {
    description = reason
    isLasting = true
  }

  /// A failure that no further attempt mends.
  static func lasting(_ reason: String) -> GatewayFailure {
    GatewayFailure(lasting: reason)
  }

  /// An answer with a status that stands for a failure: the server's trouble passes, what it says of the request stays.
  static func status(_ status: Int) -> GatewayFailure {
    let reason = "status \(status)"
    // Request timeout, too early, too many requests: they ask to come again.
    return status >= 500 || [408, 425, 429].contains(status) ? GatewayFailure(reason) : .lasting(reason)
  }
}
