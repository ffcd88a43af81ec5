import Millrace

/// The endpoints that are being asked.
///
/// A probe that ends without an answer says that its target is down only if the target was asked: a journal that is away holds up the handler
/// until the time of the probe is over.
final class AskedEndpoints: Sendable {
  private let endpoints = Lock<Set<Endpoint>>([])

  /// Notes that an endpoint is asked.
  func begin(_ endpoint: Endpoint) { endpoints.withLock { _ = $0.insert(endpoint) } }

  /// Notes that the probe of an endpoint has ended, and tells whether the endpoint was asked.
  @discardableResult
  func end(_ endpoint: Endpoint) -> Bool { endpoints.withLock { $0.remove(endpoint) != nil } }
}
