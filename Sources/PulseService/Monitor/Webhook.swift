import Foundation

/// A URL that is told of alerts.
struct Webhook: Codable, Sendable, Hashable {
  let url: URL

  /// A webhook of a URL that is known to be one.
  init(url: URL) {
    self.url = url
  }

  /// Reads `http://…` or `https://…`.
  ///
  /// - Throws: ``EndpointError``, saying what a webhook needs.
  init(_ text: String) throws(EndpointError) {
    let example = "http://localhost:8080/alerts"
    let endpoint: Endpoint
    do throws(EndpointError) {
      endpoint = try Endpoint(text)
    } catch .unknownScheme {
      throw EndpointError(needs: "a URL that begins with http:// or https://", example: example)
    } catch {
      throw EndpointError(needs: error.needs, example: example)
    }
    guard case .http(let url) = endpoint.kind else {
      throw EndpointError(needs: "a URL that begins with http:// or https://", example: example)
    }
    self.url = url
  }

  /// The URL as it may be shown: what stands behind the host is the secret of many webhooks.
  var name: String {
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return "webhook" }
    let isWhole = parts.path.isEmpty && parts.query == nil
    parts.user = nil
    parts.password = nil
    parts.path = ""
    parts.query = nil
    parts.fragment = nil
    return (parts.string ?? "webhook") + (isWhole ? "" : "/…")
  }
}
