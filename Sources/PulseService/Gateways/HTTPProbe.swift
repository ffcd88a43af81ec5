import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Asks an HTTP server for a page.
struct HTTPProbe: Sendable {
  private let transfer = HTTPTransfer()

  /// Gets the whole page, and returns its status; redirections are followed.
  ///
  /// - Throws: ``GatewayFailure`` when there is no answer, or one with a status of 400 or more; `CancellationError`.
  func get(_ url: URL) async throws -> Int {
    let answer = try await transfer.answer(to: URLRequest(url: url))
    guard answer.status < 400 else { throw GatewayFailure.status(answer.status) }
    return answer.status
  }
}
