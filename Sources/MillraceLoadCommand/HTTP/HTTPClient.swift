import MillraceHTTP

/// Sends GETs of one URL, over a connection for each virtual user that is kept from one request to the next.
///
/// Where requests come faster than answers, they wait for a connection in their order, and the wait is part of their latency.
struct HTTPClient: Sendable {
  private let loop = TransferLoop(agent: "millrace-load")
  private let request: TransferLoop.Request
  /// The URL as it may be shown.
  private let name: String

  /// - Parameters:
  ///   - url: the URL to get.
  ///   - limit: the longest that a request takes once it has a connection.
  init(_ url: LoopbackURL, limit: Duration = .seconds(10)) {
    // A body is waited for up to its end.
    request = TransferLoop.Request(url: url.url, addresses: url.addresses, limit: limit, bodyLimit: .max)
    name = url.description
  }

  /// Adds the connection of a virtual user.
  ///
  /// - Parameter user: the number of the user, from 0.
  func prepare(for user: Int) {
    loop.keep(connections: user + 1)
  }

  /// Sends one GET and waits for the whole answer.
  ///
  /// - Throws: ``HTTPError`` for a status outside of 200 to 399 and where there is no answer; `CancellationError` when the task is
  ///   cancelled, which closes the connection of a request under way.
  func get() async throws {
    do {
      let answer = try await loop.answer(to: request)
      guard (200..<400).contains(answer.status) else {
        throw HTTPError("\(name) answered with the status \(answer.status).")
      }
    } catch let failure as TransferFailure {
      throw HTTPError("\(name) could not be loaded: \(failure.description).")
    }
  }
}

/// A request that failed; the description is a sentence.
struct HTTPError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
