import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests through one session whose connections are kept in between.
///
/// On Linux the session watches a new connection for writing until the answer is there, and so keeps a processor busy for
/// as long as a server lets it wait; the time limit of an attempt is also the limit of that.
struct HTTPTransfer: Sendable {
  /// What an answer says, its body apart, which is read and dropped.
  struct Answer: Sendable {
    let status: Int
    /// Where the answer came from: another place than the request named, where that was redirected.
    let url: URL?
  }

  private let session: URLSession

  init() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCache = nil
    configuration.httpShouldSetCookies = false
    configuration.httpAdditionalHeaders = ["User-Agent": "pulse"]
    session = URLSession(configuration: configuration)
  }

  /// Sends the request and waits for the whole answer; redirections are followed.
  ///
  /// - Throws: ``GatewayFailure`` when there is no answer; `CancellationError`, soon after the task was cancelled.
  func answer(to request: URLRequest) async throws -> Answer {
    let (answers, continuation) = AsyncThrowingStream.makeStream(of: Answer.self)
    let task = session.dataTask(with: request) { _, response, error in
      if let response = response as? HTTPURLResponse {
        continuation.yield(Answer(status: response.statusCode, url: response.url))
        continuation.finish()
      } else if (error as? URLError)?.code == .cancelled {
        continuation.finish()
      } else {
        continuation.finish(throwing: Self.failure(of: error))
      }
    }
    // Ends the transfer when the reader has gone, which is how a cancelled task leaves the stream.
    continuation.onTermination = { _ in task.cancel() }
    task.resume()
    for try await answer in answers { return answer }
    throw CancellationError()
  }

  /// A few words for the error of a transfer; the system's own are long, and some say only "unknown".
  private static func failure(of error: (any Error)?) -> GatewayFailure {
    guard let error = error as? URLError else { return GatewayFailure("no answer") }
    return switch error.code {
    case .cannotConnectToHost: GatewayFailure("cannot connect")
    case .cannotFindHost, .dnsLookupFailed: GatewayFailure("host not found")
    case .networkConnectionLost: GatewayFailure("connection lost")
    case .timedOut: GatewayFailure("timed out")
    case .httpTooManyRedirects: .lasting("too many redirections")
    case .badServerResponse, .zeroByteResource: GatewayFailure("empty answer")
    case .unsupportedURL, .cannotParseResponse: .lasting("answer is not HTTP")
    case .secureConnectionFailed: .lasting("secure connection failed")
    case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot, .serverCertificateHasBadDate,
      .serverCertificateNotYetValid:
      .lasting("certificate is not trusted")
    default: GatewayFailure(error.localizedDescription)
    }
  }
}
