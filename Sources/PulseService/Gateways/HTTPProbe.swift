import Foundation

/// Asks an HTTP server for a page.
struct HTTPProbe: Sendable {
  let transfer: HTTPTransfer

  /// Gets the page, up to a limit, and returns its status; redirections are followed.
  ///
  /// - Throws: ``GatewayFailure`` when there is no answer, or one with a status of 400 or more; `CancellationError`.
  func get(_ url: URL) async throws -> Int {
    let status = try await transfer.get(url)
    guard status < 400 else { throw GatewayFailure.status(status) }
    return status
  }
}
