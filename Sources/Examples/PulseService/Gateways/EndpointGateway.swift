import Foundation
import MillraceHTTP
import MillraceTerminal

/// The endpoints that can be asked whether they answer.
protocol EndpointGateway: Sendable {
  /// Returns the status of an answer by HTTP, and nil once an endpoint has answered otherwise.
  ///
  /// Returns soon after its task was cancelled: a caller that sets a time limit cancels.
  ///
  /// - Throws: ``GatewayFailure``, when the endpoint is down.
  func probe(_ endpoint: Endpoint) async throws -> Int?
}

/// The endpoints on the network.
struct LiveEndpointGateway: EndpointGateway {
  private let http: HTTPProbe
  private let tcp: TCPProbe

  /// - Parameters:
  ///   - limit: The time after which a connection or an answer by HTTP is given up, even without a caller, if the endpoint has no limit
  ///     of its own.
  ///   - resolver: Looks up the names of hosts.
  ///   - issuers: The issuers of certificates that are trusted; nil trusts the issuers that the system trusts.
  init(limit: Duration, resolver: Resolver = Resolver(), issuers: TrustedIssuers? = nil) {
    http = HTTPProbe(transfer: HTTPTransfer(limit: limit, resolver: resolver, issuers: issuers))
    tcp = TCPProbe(limit: limit, resolver: resolver)
  }

  @discardableResult
  func probe(_ endpoint: Endpoint) async throws -> Int? {
    switch endpoint.kind {
    case .http(let url):
      return try await HTTPProbe(transfer: http.transfer.limited(to: endpoint.limit)).get(url)
    case .tcp(let host, let port):
      try await TCPProbe(limit: endpoint.limit ?? tcp.limit, resolver: tcp.resolver).connect(host: host, port: port)
      return nil
    }
  }
}

/// Asks an HTTP server for a page.
struct HTTPProbe: Sendable {
  let transfer: HTTPTransfer

  /// Gets the page, up to a limit, and returns its status; redirections are followed.
  ///
  /// - Throws: ``GatewayFailure`` when there is no answer, or one with a status of 400 or more; `CancellationError`.
  func get(_ url: URL) async throws -> Int {
    let status = try await transfer.get(url)
    guard status < 400 else { throw GatewayFailure.status(status) }
    return status
  }
}

/// Asks a TCP port whether it takes connections.
struct TCPProbe: Sendable {
  /// The longest it takes to look up the host and to connect; a look-up that takes longer ends with its caller.
  let limit: Duration
  /// Looks up the names of hosts.
  let resolver: Resolver

  /// Connects to the first address of the host that answers, and closes the connection again.
  ///
  /// - Throws: ``GatewayFailure`` of the last address when none answers; `CancellationError`.
  func connect(host: String, port: UInt16) async throws {
    let end = ContinuousClock.now + limit
    let addresses = try await GatewayFailure.rethrowing { try await resolver.addresses(of: host) }
    let limit = limit
    try await blockingCall {
      try GatewayFailure.rethrowing { () throws(TransferFailure) in
        _ = close(try ConnectionRace(addresses, port: port, limit: limit, until: end).connection())
      }
    }
  }
}
