import Foundation
import MillraceHTTP

/// Sends requests over HTTP: looks up the host, and carries out the transfer.
struct HTTPTransfer: Sendable {
  /// The longest a request takes once the addresses of its host are known, redirections included.
  let limit: Duration
  /// Looks up the hosts that the user has named.
  private let resolver: Resolver
  /// Looks up the hosts that redirections name, so that a server which makes up names takes no thread from others.
  private let redirectionResolver: Resolver
  private let loop = TransferLoop(agent: "pulse")

  /// The most redirections that are followed.
  private static let redirectionLimit = 10

  /// The most names that redirections have looked up at the same time.
  private static let redirectionThreads = 16

  init(limit: Duration, resolver: Resolver) {
    self.limit = limit
    self.resolver = resolver
    redirectionResolver = resolver.limited(to: Self.redirectionThreads)
  }

  /// Posts a body, and gives the status of the answer; redirections are not followed.
  ///
  /// - Throws: ``GatewayFailure`` when there is no answer; `CancellationError`, soon after the task was cancelled.
  func post(_ body: Data, to url: URL, fields: [String]) async throws -> Int {
    try await send(Self.read(url.absoluteString), by: resolver, within: limit, fields: fields, body: body).status
  }

  /// Gets a page, and gives the status of the answer; redirections are followed.
  ///
  /// - Throws: ``GatewayFailure`` when there is no answer; `CancellationError`, soon after the task was cancelled.
  func get(_ url: URL) async throws -> Int {
    var url = try Self.read(url.absoluteString)
    var answer = try await send(url, by: resolver, within: limit)
    let start = ContinuousClock.now
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
      let rest = limit - start.duration(to: .now)
      guard rest > .zero else { throw GatewayFailure.late(limit) }
      answer = try await send(url, by: redirectionResolver, within: rest)
    }
    return answer.status
  }

  private static func read(_ text: String) throws(GatewayFailure) -> TransferURL {
    guard let url = TransferURL(text) else { throw .lasting("not a URL that can be asked") }
    return url
  }

  private func send(
    _ url: TransferURL, by resolver: Resolver, within limit: Duration, fields: [String] = [], body: Data? = nil
  ) async throws -> TransferLoop.Answer {
    var request = TransferLoop.Request(url: url, fields: fields, body: body, limit: limit)
    if !SocketAddress.isNumeric(url.bareHost) {
      // libcurl takes no address with a zone.
      request.addresses = try await resolver.addresses(of: url.bareHost).filter { !$0.contains("%") }
      guard !request.addresses.isEmpty else { throw GatewayFailure("host not found") }
    }
    do {
      return try await loop.answer(to: request)
    } catch let failure as TransferFailure {
      throw GatewayFailure(failure)
    }
  }
}
