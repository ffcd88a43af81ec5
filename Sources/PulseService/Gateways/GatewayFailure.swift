/// The failure of a gateway, in a few words: "connection refused".
struct GatewayFailure: Error, Equatable, Codable, CustomStringConvertible {
  let description: String
  /// Whether the same request would fail again a moment later, so that another attempt is of no use.
  let isLasting: Bool
  /// The status of the answer by HTTP that stands for the failure; nil where there was no answer.
  let status: Int?

  /// A failure that another attempt may mend.
  init(_ reason: String) {
    self.init(reason, isLasting: false, status: nil)
  }

  private init(_ reason: String, isLasting: Bool, status: Int?) {
    description = reason
    self.isLasting = isLasting
    self.status = status
  }

  /// A failure that no further attempt mends.
  static func lasting(_ reason: String) -> GatewayFailure {
    GatewayFailure(reason, isLasting: true, status: nil)
  }

  /// An answer with a status that stands for a failure: the server's trouble passes, what it says of the request stays.
  static func status(_ status: Int) -> GatewayFailure {
    // Request timeout, too early, too many requests: they ask to come again.
    let mayPass = status >= 500 || [408, 425, 429].contains(status)
    return GatewayFailure("status \(status)", isLasting: !mayPass, status: status)
  }
}
