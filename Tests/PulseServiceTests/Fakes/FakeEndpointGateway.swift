@testable import PulseService

/// Endpoints whose answers are scripted.
struct FakeEndpointGateway: EndpointGateway {
  private let script: @Sendable (Endpoint) async throws -> Void

  init(_ script: @escaping @Sendable (Endpoint) async throws -> Void = { _ in }) {
    self.script = script
  }

  func probe(_ endpoint: Endpoint) async throws {
    try await script(endpoint)
  }
}

extension Endpoint {
  /// An endpoint that the fakes are asked for.
  static let web = try! Endpoint("http://web.test/")
  static let database = try! Endpoint("tcp://database.test:5432")
}
