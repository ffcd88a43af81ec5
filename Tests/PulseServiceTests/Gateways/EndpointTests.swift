import Foundation
import Testing

@testable import MillraceHTTP
@testable import PulseService

@Suite("Endpoint")
struct EndpointTests {
  @Test(
    "A web URL is asked by HTTP, and shown without its secrets",
    arguments: [
      ("http://a", "http://a"), ("https://u:p@a.b:8443/c?d=e#f", "https://…@a.b:8443/c?…"), ("HTTP://a", "HTTP://a"),
      ("http://[::1]:80/", "http://[::1]:80/"),
    ])
  func web(text: String, name: String) throws {
    let endpoint = try Endpoint(text)
    #expect(endpoint.name == name)
    #expect(endpoint.kind == .http(try #require(URL(string: text))))
  }

  @Test(
    "A tcp URL is a host and a port",
    arguments: [
      ("tcp://a:1", "a", 1), ("tcp://127.0.0.1:65535/", "127.0.0.1", 65535), ("tcp://a:65534", "a", 65534),
      ("tcp://[::1]:80", "::1", 80),
    ] as [(String, String, UInt16)])
  func tcp(text: String, host: String, port: UInt16) throws {
    #expect(try Endpoint(text).kind == .tcp(host: host, port: port))
  }

  @Test(
    "A text that is no endpoint is refused with what it needs",
    arguments: [
      ("", EndpointError.unknownScheme), ("localhost", .unknownScheme), ("ftp://a", .unknownScheme),
      ("localhost:80", .unknownScheme), ("http://", .noHost), ("http:///path", .noHost), ("tcp://:80", .noHost),
      ("127.0.0.1:8080", .unknownScheme), ("a b", .unknownScheme),
      ("http://a:b", EndpointError(needs: TransferURL.Unreadable.parts.needs)), ("tcp://[::1", .unreadable),
      ("tcp://a,b:1", .noHostName), ("tcp://a:b", .unreadable),
      ("http://a,b/", EndpointError(needs: TransferURL.Unreadable.host.needs)),
      ("http://us%00er@a/", EndpointError(needs: TransferURL.Unreadable.parts.needs)),
      ("http://a/" + String(repeating: "x", count: 9_000), EndpointError(needs: TransferURL.Unreadable.length.needs)),
      ("tcp://a", .noPort), ("tcp://a:0", .noPort), ("tcp://a:65536", .noPort), ("http://a:0", .noPort),
      ("http://a b", .notAURL), ("http://a\n", .notAURL), ("tcp://a:1/path", .tooMuch), ("tcp://a:1?q", .tooMuch),
      ("tcp://a:1#f", .tooMuch), ("tcp://:p@a:1", .tooMuch),
    ])
  func refused(text: String, expected: EndpointError) {
    #expect(throws: expected) { try Endpoint(text) }
  }
}
