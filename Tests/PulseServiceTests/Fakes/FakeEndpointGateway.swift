import MillraceTesting

@testable import PulseService

/// Endpoints whose answers are scripted.
struct FakeEndpointGateway: EndpointGateway, FakeGateway {
  let probes: FakeCall<Endpoint, Void>
  /// Each reading of the certificates of an endpoint that has answered.
  let certificates: FakeCall<Endpoint, CertificateReading>
  /// The status of each answer.
  let status: Int?

  init(status: Int? = nil, file: StaticString = #filePath, line: UInt = #line) {
    self.status = status
    probes = FakeCall("probe", file: file, line: line)
    certificates = FakeCall("certificate", file: file, line: line)
  }

  /// Endpoints that are all up.
  static func up() -> FakeEndpointGateway {
    let gateway = FakeEndpointGateway()
    gateway.probes.always()
    return gateway
  }

  func probe(_ endpoint: Endpoint, readsCertificate: Bool) async throws -> ProbeAnswer {
    try await probes(endpoint)
    return ProbeAnswer(status: status, certificate: readsCertificate ? try await certificates(endpoint) : nil)
  }
}

extension EndpointGateway {
  /// Probes an endpoint without its certificates, and returns the status.
  @discardableResult
  func probe(_ endpoint: Endpoint) async throws -> Int? {
    try await probe(endpoint, readsCertificate: false).status
  }
}

extension Endpoint {
  /// An endpoint that the fakes are asked for.
  static let web = try! Endpoint("http://web.test/")
  static let database = try! Endpoint("tcp://database.test:5432")
  static let guarded = try! Endpoint("https://secret-user:secret-password@guarded.test/health?key=secret")
}
