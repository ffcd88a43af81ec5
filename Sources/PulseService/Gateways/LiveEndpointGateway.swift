/// The endpoints on the network.
struct LiveEndpointGateway: EndpointGateway {
  private let http = HTTPProbe()
  private let tcp: TCPProbe

  /// - Parameter limit: The longest a connection is tried; it frees the thread of one whose caller has gone.
  init(limit: Duration) {
    tcp = TCPProbe(limit: limit)
  }

  @discardableResult
  func probe(_ endpoint: Endpoint) async throws -> Int? {
    switch endpoint.kind {
    case .http(let url): return try await http.get(url)
    case .tcp(let host, let port):
      try await tcp.connect(host: host, port: port)
      return nil
    }
  }
}
