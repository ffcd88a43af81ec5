/// The endpoints that can be asked whether they answer.
protocol EndpointGateway: Sendable {
  /// Returns the status of an answer by HTTP, and nil once an endpoint has answered otherwise.
  ///
  /// Returns soon after its task was cancelled: a caller that sets a time limit cancels.
  ///
  /// - Throws: ``GatewayFailure``, when the endpoint is down.
  func probe(_ endpoint: Endpoint) async throws -> Int?
}
