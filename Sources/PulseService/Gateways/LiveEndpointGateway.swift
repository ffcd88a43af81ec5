/// The endpoints on the network.
struct LiveEndpointGateway: EndpointGateway {
  private let http = HTTPProbe()
  private let tcp: TCPProbe

  /// - Parameter limit: The longest a connection is tried; it frees the thread of one whose caller has gone.
  init(limit: Duration) {
    tcp = TCPProbe(limit: limit)
  }

  func probe(_ endpoint: Endpoint) async throws {
    switch endpoint.kind {
    case .http(let url): try await http.get(url)
    case .tcp(let host, let port): try await tcp.connect(host: host, port: port)
    }
  }
}
