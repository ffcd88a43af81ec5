package import Foundation

/// Carries out HTTP transfers side by side, all on one thread of its own, which nothing blocks.
///
/// The thread begins with the first transfer and ends with the last reference to the loop. Each transfer has a connection of its own,
/// until ``keep(connections:)`` has the loop keep connections.
package final class TransferLoop: Sendable {
  /// One request; redirections are not followed.
  package struct Request: Sendable {
    package var url: TransferURL
    /// The addresses of the URL's host, in the order they should be tried; not used where the host is an address itself.
    package var addresses: [String]
    /// Looks the host up in place of `addresses`, again for each connection that is made.
    package var resolver: Resolver?
    /// Header fields, `Name: value`.
    package var fields: [String]
    /// The body of a POST; nil for a GET.
    package var body: Data?
    /// The longest the transfer takes, without the time in which it waits for a connection that the loop keeps.
    package var limit: Duration
    /// The time at which it is over, when some of the limit has passed before; nil is the limit from the start of the transfer on.
    package var end: ContinuousClock.Instant?
    /// The most bytes of body that are waited for.
    package var bodyLimit: Int
    /// Whether the answer has its body.
    package var keepsBody: Bool
    /// Whether the answer has the expiry of the server's certificates, for which a transfer by `https` makes a new connection.
    package var readsCertificates = false

    package init(
      url: TransferURL, addresses: [String] = [], resolver: Resolver? = nil, fields: [String] = [], body: Data? = nil,
      limit: Duration,
      bodyLimit: Int = TransferLoop.bodyLimit, keepsBody: Bool = false
    ) {
      self.url = url
      self.addresses = addresses
      self.resolver = resolver
      self.fields = fields
      self.body = body
      self.limit = limit
      self.bodyLimit = bodyLimit
      self.keepsBody = keepsBody
    }
  }

  /// An answer; its body is counted and dropped, unless the request says that it is kept.
  package struct Answer: Sendable, Equatable {
    package let status: Int
    /// The URL that a redirection leads to.
    package let redirection: String?
    /// Whether the body was longer than its limit, and the rest was not waited for.
    package let isCut: Bool
    /// The bytes of a body that is kept, up to where it is cut; otherwise empty.
    package var body = Data()
    /// The time for which the server asks to be left alone (`Retry-After`); nil where it does not ask.
    package var retryAfter: Duration?
    /// The earliest end of validity of the certificates that the server has sent: its own, and those of its issuers.
    ///
    /// It is nil where the request does not ask for it, where there is none, and where one cannot be read.
    package var expiry: Date?
  }

  /// The most bytes of header that an answer may have, those of interim answers included.
  package static let headerLimit = 65_536

  /// The number of bytes of a body after which the answer counts as complete.
  package static let bodyLimit = 1_048_576

  private let queue: TransferQueue?

  /// - Parameters:
  ///   - agent: the name that is sent as the `User-Agent`.
  ///   - issuers: the issuers of certificates that are trusted; nil trusts the issuers that the system trusts. The loop reads their
  ///     file for its first transfer by `https`, and again once a day.
  package init(agent: String, issuers: TrustedIssuers? = nil) {
    queue = TransferQueue(agent: agent, issuers: issuers)
  }

  deinit {
    queue?.close()
  }

  /// Keeps connections from one transfer to the next.
  ///
  /// Each transfer then uses an idle connection to its server, or makes one. At most as many transfers run at a time as the loop
  /// keeps connections; others wait in their order.
  ///
  /// - Parameter connections: the number of connections; a smaller number than the loop keeps already changes nothing.
  package func keep(connections: Int) {
    queue?.keep(connections: connections)
  }

  /// Sends a request and waits for its answer, of which the body may be cut.
  ///
  /// - Throws: ``TransferFailure`` when there is no answer; `CancellationError`, soon after the task was cancelled: the
  ///   connection is closed by then.
  package func answer(to request: Request) async throws -> Answer {
    guard let queue else { throw TransferFailure.tooFewFiles }
    let id = queue.nextID()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.add(.start(id, request, continuation))
        // The handler has run before there was anything to cancel.
        if Task.isCancelled { queue.add(.cancel(id)) }
      }
    } onCancel: {
      queue.add(.cancel(id))
    }
  }
}
