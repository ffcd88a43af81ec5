import Testing

@testable import MillraceHTTP

@Suite("TransferURL")
struct TransferURLTests {
  @Test("A URL is taken apart as libcurl reads it, without credentials in its text")
  func parts() throws {
    let url = try #require(TransferURL("HTTPS://us%65r:p%40ss%3A@Example.COM/a/../b?c=d"))
    #expect(url.text == "https://Example.COM/b?c=d" || url.text == "https://Example.COM/a/../b?c=d")
    #expect(url.scheme == "https" && url.host == "Example.COM" && url.port == 443)
    #expect(url.credentials == .init(user: "user", password: "p@ss:"))
    #expect(TransferURL("http://user@a")?.credentials == .init(user: "user", password: ""))
    #expect(TransferURL("http://a")?.credentials == nil)
    let address = try #require(TransferURL("http://[::1]:8080/"))
    #expect(address.host == "[::1]" && address.bareHost == "::1" && address.port == 8080)
  }

  @Test(
    "A text that libcurl refuses, another scheme, and a host that is no name are no URLs",
    arguments: [
      "", "a", "http://", "ftp://a", "file:///etc/passwd", "gopher://a", "http://a:65536", "http://a b", "http://a%2Cb",
      "http://m%C3%BCnchen", "http://us%00er@a", "http://a,b",
    ])
  func refused(text: String) {
    #expect(TransferURL(text) == nil)
  }

  @Test(
    "A text that is refused is so for its own reason",
    arguments: [
      ("127.0.0.1:8080", .scheme), ("a", .scheme), ("ftp://a", .scheme), ("http:a", .scheme), ("httpx://a", .scheme),
      ("http://a,b/", .host), ("http://a,b@c,d", .host), ("http://m%C3%BCnchen", .host), ("http://münchen:80", .host),
      ("http://", .host), ("http://a:65536", .parts), ("http://us%00er@a", .parts), ("http://[::1", .parts),
      ("http://a b/", .host), ("http://a/" + String(repeating: "x", count: 8_184), .length),
    ] as [(String, TransferURL.Unreadable)])
  func reasons(text: String, reason: TransferURL.Unreadable) {
    #expect(throws: reason) { try TransferURL(reading: text) }
  }

  @Test("A URL has at most 8,192 bytes", arguments: [8_191, 8_192, 8_193])
  func longest(count: Int) {
    let text = "http://a/" + String(repeating: "x", count: count - 9)
    #expect((TransferURL(text) != nil) == (count <= 8_192))
  }

  @Test("The origin is scheme, host and port")
  func origin() throws {
    let url = try #require(TransferURL("http://a:80/x"))
    for text in ["http://A/y", "http://user@a:80/"] { #expect(try #require(TransferURL(text)).hasOrigin(of: url)) }
    for text in ["https://a:80/", "http://b/", "http://a:81/"] {
      #expect(try !#require(TransferURL(text)).hasOrigin(of: url))
    }
  }
}
