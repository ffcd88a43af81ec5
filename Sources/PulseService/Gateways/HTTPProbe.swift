import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Asks an HTTP server for a page, through one session whose connections are kept between probes.
///
/// On Linux the session watches a new connection for writing until the answer is there, and so keeps a processor busy for
/// as long as a server lets it wait; the time limit of a probe is also the limit of that.
struct HTTPProbe: Sendable {
  private let session: URLSession

  init() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCache = nil
    configuration.httpShouldSetCookies = false
    configuration.httpAdditionalHeaders = ["User-Agent": "pulse"]
    session = URLSession(configuration: configuration)
  }

  /// Gets the whole page; redirections are followed.
  ///
  /// - Throws: ``EndpointFailure`` when there is no answer, or one with a status of 400 or more; `CancellationError`.
  func get(_ url: URL) async throws {
    let (answers, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
    let task = session.dataTask(with: url) { _, response, error in
      if let response = response as? HTTPURLResponse {
        continuation.yield(response.statusCode)
        continuation.finish()
      } else if (error as? URLError)?.code == .cancelled {
        continuation.finish()
      } else {
        continuation.finish(throwing: EndpointFailure(Self.reason(of: error)))
      }
    }
    // Ends the transfer when the reader has gone, which is how a cancelled task leaves the stream.
    continuation.onTermination = { _ in task.cancel() }
    task.resume()
    for try await status in answers {
      guard status < 400 else { throw EndpointFailure("status \(status)") }
      return
    }
    throw CancellationError()
  }

  /// A few words for the error of a transfer; the system's own are long, and some say only "unknown".
  private static func reason(of error: (any Error)?) -> String {
    guard let error = error as? URLError else { return "no answer" }
    return switch error.code {
    case .cannotConnectToHost: "cannot connect"
    case .cannotFindHost, .dnsLookupFailed: "host not found"
    case .networkConnectionLost: "connection lost"
    case .timedOut: "timed out"
    case .httpTooManyRedirects: "too many redirections"
    case .badServerResponse, .zeroByteResource: "empty answer"
    case .unsupportedURL, .cannotParseResponse: "answer is not HTTP"
    case .secureConnectionFailed: "secure connection failed"
    case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot, .serverCertificateHasBadDate,
      .serverCertificateNotYetValid:
      "certificate is not trusted"
    default: error.localizedDescription
    }
  }
}
