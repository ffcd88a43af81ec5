import Foundation
import MillraceHTTP
import MillraceTerminal

/// The endpoints that can be asked whether they answer.
protocol EndpointGateway: Sendable {
  /// Returns the answer of an endpoint.
  ///
  /// Returns soon after its task was cancelled: a caller that sets a time limit cancels.
  ///
  /// - Parameter readsCertificate: Whether the answer has the certificates of an endpoint by `https`.
  /// - Throws: ``GatewayFailure``, when the endpoint is down.
  func probe(_ endpoint: Endpoint, readsCertificate: Bool) async throws -> ProbeAnswer
}

/// The answer of an endpoint to a probe.
struct ProbeAnswer: Codable, Sendable, Equatable {
  /// The status of an answer by HTTP; nil where the endpoint has answered otherwise.
  var status: Int?
  /// The certificates of the server; nil if they were not read.
  var certificate: CertificateReading?
}

/// A reading of the certificates that a server has sent: its own, and those of its issuers.
enum CertificateReading: Codable, Sendable, Equatable {
  /// The time until the first of them expires; zero where it has expired.
  case expires(after: Duration)
  /// The date of one cannot be read.
  case unreadable

  /// - Parameter expiry: The earliest end of validity; nil where one cannot be read.
  init(expiry: Date?, at now: Date) {
    guard let expiry else {
      self = .unreadable
      return
    }
    // A certificate that is to be valid for ever ends in the year 9999, and no rule compares with a time as long.
    self = .expires(after: .seconds(min(max(0, expiry.timeIntervalSince(now)), 2_000_000_000)))
  }
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
  ///   - now: Returns the wall-clock time.
  init(
    limit: Duration, resolver: Resolver = Resolver(), issuers: TrustedIssuers? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    http = HTTPProbe(transfer: HTTPTransfer(limit: limit, resolver: resolver, issuers: issuers), now: now)
    tcp = TCPProbe(limit: limit, resolver: resolver)
  }

  func probe(_ endpoint: Endpoint, readsCertificate: Bool) async throws -> ProbeAnswer {
    switch endpoint.kind {
    case .http(let url):
      return try await HTTPProbe(transfer: http.transfer.limited(to: endpoint.limit), now: http.now)
        .get(url, readsCertificate: readsCertificate)
    case .tcp(let host, let port):
      try await TCPProbe(limit: endpoint.limit ?? tcp.limit, resolver: tcp.resolver).connect(host: host, port: port)
      return ProbeAnswer()
    }
  }
}

/// Asks an HTTP server for a page.
struct HTTPProbe: Sendable {
  let transfer: HTTPTransfer
  /// Returns the wall-clock time.
  let now: @Sendable () -> Date

  /// Gets the page, up to a limit, and returns its status; redirections are followed.
  ///
  /// - Throws: ``GatewayFailure`` when there is no answer, or one with a status of 400 or more; `CancellationError`.
  func get(_ url: URL, readsCertificate: Bool) async throws -> ProbeAnswer {
    let (status, expiry) = try await transfer.get(url, readsCertificates: readsCertificate)
    let certificate = readsCertificate ? CertificateReading(expiry: expiry, at: now()) : nil
    guard status < 400 else { throw GatewayFailure.status(status, certificate: certificate) }
    return ProbeAnswer(status: status, certificate: certificate)
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
