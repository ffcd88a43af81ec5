import Foundation
import MillraceHTTP

/// Sends requests over HTTP: looks up the host, and carries out the transfer.
struct HTTPTransfer: Sendable {
  /// The longest a request takes, look-ups and redirections included; a look-up that takes longer ends with its caller.
  private(set) var limit: Duration
  /// Looks up the hosts that the user has named.
  private let resolver: Resolver
  /// Looks up the hosts that redirections name, so that a server which makes up names takes no thread from others.
  private let redirectionResolver: Resolver
  private let loop: TransferLoop

  /// The most redirections that are followed.
  private static let redirectionLimit = 10

  init(limit: Duration, resolver: Resolver, issuers: TrustedIssuers? = nil) {
    self.limit = limit
    self.resolver = resolver
    loop = TransferLoop(agent: "pulse", issuers: issuers)
    redirectionResolver = resolver.smaller()
  }

  /// Returns a transfer with another limit on the same thread; nil is the limit of this one.
  func limited(to limit: Duration?) -> HTTPTransfer {
    var transfer = self
    transfer.limit = limit ?? self.limit
    return transfer
  }

  /// Posts a body, and gives the answer; redirections are not followed.
  ///
  /// The look-up of the host has the limit of the request, so that the failure says whether the request was sent.
  ///
  /// - Throws: ``GatewayFailure`` when there is no answer; `CancellationError`, soon after the task was cancelled.
  func post(_ body: Data, to url: URL, fields: [String]) async throws -> TransferLoop.Answer {
    try await send(Self.read(url.absoluteString), by: resolver, lookUpWithin: limit, fields: fields, body: body)
  }

  /// Gets a page, and gives the status of the answer; redirections are followed.
  ///
  /// The expiry is that of the certificates of the server that the URL names, not of those that it redirects to.
  ///
  /// - Throws: ``GatewayFailure`` when there is no answer; `CancellationError`, soon after the task was cancelled.
  func get(_ url: URL, readsCertificates: Bool) async throws -> (status: Int, expiry: Date?) {
    var url = try Self.read(url.absoluteString)
    let end = ContinuousClock.now + limit
    var answer = try await send(url, by: resolver, until: end, readsCertificates: readsCertificates)
    let expiry = answer.expiry
    var count = 0
    while [301, 302, 303, 307, 308].contains(answer.status) {
      // Behind a body that is cut libcurl does not say where the redirection leads.
      guard !answer.isCut else { throw GatewayFailure.lasting("redirected with too long a body") }
      guard let target = answer.redirection else { break }
      count += 1
      guard count <= Self.redirectionLimit else { throw GatewayFailure.lasting("too many redirections") }
      guard var next = TransferURL(target) else {
        throw GatewayFailure.lasting("redirected to what is no http:// or https:// URL")
      }
      next.credentials = next.credentials ?? (next.hasOrigin(of: url) ? url.credentials : nil)
      url = next
      answer = try await send(url, by: redirectionResolver, until: end)
    }
    return (answer.status, expiry)
  }

  private static func read(_ text: String) throws(GatewayFailure) -> TransferURL {
    guard let url = TransferURL(text) else { throw .lasting("not a URL that can be asked") }
    return url
  }

  private func send(
    _ url: TransferURL, by resolver: Resolver, lookUpWithin lookUpLimit: Duration? = nil,
    until end: ContinuousClock.Instant? = nil, fields: [String] = [], body: Data? = nil,
    readsCertificates: Bool = false
  ) async throws -> TransferLoop.Answer {
    var request = TransferLoop.Request(url: url, fields: fields, body: body, limit: limit)
    request.readsCertificates = readsCertificates
    if !SocketAddress.isNumeric(url.bareHost) {
      request.addresses = try await GatewayFailure.rethrowing {
        try await resolver.addresses(of: url.bareHost, within: lookUpLimit)
      }
    }
    let end = end ?? .now + limit
    guard end > .now else { throw GatewayFailure.late(limit) }
    request.end = end
    do {
      return try await loop.answer(to: request)
    } catch let failure as TransferFailure {
      var reason = GatewayFailure(failure)
      reason.mayHaveArrived = body != nil && failure.mayHaveArrived
      throw reason
    }
  }
}
