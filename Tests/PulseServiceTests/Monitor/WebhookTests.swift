import Foundation
import Testing

@testable import PulseService

@Suite("Webhook")
struct WebhookTests {
  @Test(
    "A webhook is shown without what may be a secret",
    arguments: [
      ("https://hooks.test/services/T0/B1/secret", "https://hooks.test/…"),
      ("https://hooks.test?key=secret", "https://hooks.test/…"),
      ("http://user:secret@hooks.test:8080", "http://…@hooks.test:8080"),
      ("http://[::1]:8080/x", "http://[::1]:8080/…"),
    ])
  func name(url: String, name: String) throws {
    let webhook = try Webhook(url)
    #expect(webhook.url.absoluteString == url)
    #expect(webhook.name == name)
  }

  @Test(
    "A value that is no webhook is refused with the fix",
    arguments: [
      ("tcp://a:1", "a URL that begins with http:// or https://"),
      ("ftp://a", "a URL that begins with http:// or https://"),
      ("tcp://a:1/path", "a URL that begins with http:// or https://"),
      ("tcp://a", "a URL that begins with http:// or https://"),
      ("localhost", "a URL that begins with http:// or https://"), ("http://", "a URL with a host"),
      ("http://a b", "a URL without blanks"), ("http://a:0", "a URL with a port from 1 to 65535"),
    ])
  func wrong(url: String, needs: String) {
    let error = #expect(throws: EndpointError.self) { try Webhook(url) }
    #expect(error == EndpointError(needs: needs, example: "http://localhost:8080/alerts"))
  }
}
