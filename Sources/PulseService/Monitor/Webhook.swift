import Foundation
import MillraceFlags

/// A URL that is notified of alerts.
struct Webhook: Codable, Sendable, Hashable, Named {
  /// The URL as it may be shown: up to its host, for the rest is the secret of many webhooks.
  var name: String
  let url: URL

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
    self.init(name: RedactedURL.url(text, upTo: .host), url: url)
  }

  private init(name: String, url: URL) {
    self.name = name
    self.url = url
  }

  /// The same webhook without what may be a secret, for a recording.
  var redacted: Webhook {
    Webhook(
      name: name,
      url: url.redacted { parts in
        parts.path = ""
        parts.query = nil
      })
  }
}
