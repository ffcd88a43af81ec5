import Foundation
import MillraceFlags

/// A URL that is notified of alerts.
struct Webhook: Codable, Sendable, Hashable, Named {
  /// The URL as it may be shown: up to its host, for the rest is the secret of many webhooks.
  var name: String
  let url: URL
  /// The longest that the look-up of the name takes, and the longest that the request behind it takes; nil is the limit of all.
  var limit: Duration?

  /// Reads `http://…` or `https://…`.
  ///
  /// - Throws: ``EndpointError``, saying what a webhook needs.
  init(_ text: String) throws(EndpointError) {
    let example = "http://localhost:8080/alerts"
    let otherScheme = EndpointError(needs: "a URL that begins with http:// or https://", example: example)
    // Asked first: the needs of another scheme are not those of a webhook.
    guard ["http://", "https://"].contains(where: text.lowercased().hasPrefix) else { throw otherScheme }
    let endpoint: Endpoint
    do throws(EndpointError) {
      endpoint = try Endpoint(text)
    } catch {
      throw EndpointError(needs: error.needs, example: example)
    }
    guard case .http(let url) = endpoint.kind else { throw otherScheme }
    self.init(name: RedactedURL.url(text, upTo: .host), url: url)
  }

  /// Whether both are the same URL, however long they may take.
  static func == (one: Webhook, other: Webhook) -> Bool { one.name == other.name && one.url == other.url }

  func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(url)
  }

  private init(name: String, url: URL) {
    self.name = name
    self.url = url
  }

  /// The same webhook without what may be a secret, for a recording.
  var redacted: Webhook {
    var webhook = Webhook(
      name: name,
      url: url.redacted { parts in
        parts.path = ""
        parts.query = nil
      })
    webhook.limit = limit
    return webhook
  }
}
