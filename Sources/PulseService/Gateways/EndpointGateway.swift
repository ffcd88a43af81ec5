/// The endpoints that can be asked whether they answer.
protocol EndpointGateway: Sendable {
  /// Returns when the endpoint has answered.
  ///
  /// Returns soon after its task was cancelled: a caller that sets a time limit cancels, and waits for the return.
  ///
  /// - Throws: ``EndpointFailure``, when the endpoint is down.
  func probe(_ endpoint: Endpoint) async throws
}

/// Why an endpoint is down, in a few words that stand behind its name: "connection refused".
struct EndpointFailure: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ reason: String) {
    description = reason
  }
}
