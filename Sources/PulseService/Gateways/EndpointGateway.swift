/// The endpoints that can be asked whether they answer.
protocol EndpointGateway: Sendable {
  /// Returns when the endpoint has answered.
  ///
  /// Returns soon after its task was cancelled: a caller that sets a time limit cancels.
  ///
  /// - Throws: ``GatewayFailure``, when the endpoint is down.
  func probe(_ endpoint: Endpoint) async throws
}
