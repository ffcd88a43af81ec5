import Millrace
import MillraceHTTP
import MillraceLoad

/// Sends GETs of one URL, over a connection for each virtual user that is kept from one request to the next.
///
/// Where requests come faster than answers, they wait for a connection in their order, and the wait is part of their latency.
struct HTTPClient: Sendable {
  private let loop: TransferLoop
  private let request: TransferLoop.Request
  /// The URL as it may be shown.
  let name: String

  /// - Parameters:
  ///   - url: the URL to get.
  ///   - limit: the longest that a request takes once it has a connection.
  ///   - issuers: the issuers of certificates that are trusted; nil trusts the issuers that the system trusts.
  init(_ url: LoopbackURL, limit: Duration = .seconds(10), issuers: TrustedIssuers? = nil) {
    loop = TransferLoop(agent: "millrace-load", issuers: issuers)
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
  /// - Returns: the status.
  /// - Throws: ``HTTPError`` for a status outside of 200 to 399 and where there is no answer; `CancellationError` when the task is
  ///   cancelled, which closes the connection of a request under way.
  @discardableResult
  func get() async throws -> Int {
    do {
      let answer = try await loop.answer(to: request)
      guard (200..<400).contains(answer.status) else {
        throw HTTPError("\(name) answered with the status \(answer.status).", status: answer.status)
      }
      return answer.status
    } catch let failure as TransferFailure {
      throw HTTPError("\(name) could not be loaded: \(failure.description).")
    }
  }

  /// Sends one GET, and returns the way it ended with the status of its answer.
  func end() async -> LoadEnd {
    do {
      return LoadEnd(.finished, status: try await get())
    } catch let error as HTTPError {
      return LoadEnd(.failed(error), status: error.status)
    } catch is CancellationError {
      return LoadEnd(.cancelled)
    } catch {
      return LoadEnd(.failed(error))
    }
  }
}

/// A request that failed; the description is a sentence.
struct HTTPError: Error, Equatable, CustomStringConvertible {
  let description: String
  /// The status of the answer; nil where there was none.
  let status: Int?

  init(_ description: String, status: Int? = nil) {
    self.description = description
    self.status = status
  }
}
