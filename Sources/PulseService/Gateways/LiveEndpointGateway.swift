/// The endpoints on the network.
struct LiveEndpointGateway: EndpointGateway {
  private let http: HTTPProbe
  private let tcp: TCPProbe

  /// - Parameters:
  ///   - limit: The time after which a connection or an answer by HTTP is given up, even without a caller.
  ///   - resolver: Looks up the names of hosts.
  init(limit: Duration, resolver: Resolver = Resolver()) {
    http = HTTPProbe(transfer: HTTPTransfer(limit: limit, resolver: resolver))
    tcp = TCPProbe(limit: limit, resolver: resolver)
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
