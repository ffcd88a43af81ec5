package import Foundation

/// A server that is asked for what it has below a URL, over connections that are kept from one request to the next.
package struct TransferServer: Sendable {
  private let loop: TransferLoop
  private let url: TransferURL
  private let resolver: Resolver
  private let limit: Duration
  private let bodyLimit: Int

  /// Looks up the host of the URL once, which may block for a minute, so that a wrong name is known at the beginning.
  ///
  /// The host is looked up again for each connection that is made: a server may move.
  ///
  /// - Parameters:
  ///   - url: the URL below which the server is asked; its credentials are sent with each request.
  ///   - agent: the name that is sent as the `User-Agent`.
  ///   - issuers: the issuers of certificates that are trusted; nil trusts the issuers that the system trusts.
  ///   - connections: the most requests that are under way at the same time; others wait in their order.
  ///   - limit: the longest that a request takes once it has a connection.
  ///   - bodyLimit: the most bytes that the body of an answer may have.
  ///   - resolver: looks up the host.
  /// - Throws: ``TransferFailure``, when the host is not known.
  package init(
    _ url: TransferURL, agent: String, issuers: TrustedIssuers? = nil, connections: Int, limit: Duration,
    bodyLimit: Int, resolver: Resolver = Resolver()
  ) throws(TransferFailure) {
    if !SocketAddress.isNumeric(url.bareHost), try resolver.lookUp(url.bareHost).isEmpty { throw .unknownHost }
    self.resolver = resolver
    loop = TransferLoop(agent: agent, issuers: issuers)
    loop.keep(connections: connections)
    self.url = url
    self.limit = limit
    self.bodyLimit = bodyLimit
  }

  /// Gets a path, or posts a body to it, and waits for the whole answer; redirections are not followed.
  ///
  /// The body of the answer to a GET is kept, and that of the answer to a POST is dropped.
  ///
  /// - Throws: ``TransferFailure`` when there is no answer, when the body of the answer to a GET is too long, and when the path makes no
  ///   URL; `CancellationError`, soon after the task was cancelled: the connection is closed by then.
  package func answer(
    to path: String, fields: [String] = [], body: Data? = nil
  ) async throws -> TransferLoop.Answer {
    guard var url = TransferURL(url.text.hasSuffix("/") ? url.text + path : "\(url.text)/\(path)") else {
      throw TransferFailure.noURL
    }
    url.credentials = self.url.credentials
    let answer = try await loop.answer(
      to: TransferLoop.Request(
        url: url, resolver: resolver, fields: fields, body: body, limit: limit, bodyLimit: bodyLimit,
        keepsBody: body == nil))
    guard !answer.isCut || body != nil else { throw TransferFailure.tooLong(bodyLimit) }
    return answer
  }
}

extension TransferLoop.Answer {
  /// Whether the server has done what the request asks for.
  package var isSuccess: Bool { 200..<300 ~= status }

  /// Whether the same request may have another answer a moment later: the server's trouble passes, what it says of the request stays.
  package var mayPass: Bool {
    // Request timeout, too early, too many requests: they ask to come again.
    status >= 500 || [408, 425, 429].contains(status)
  }
}
