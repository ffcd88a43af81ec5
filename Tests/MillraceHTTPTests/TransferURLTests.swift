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

  @Test("The origin is scheme, host and port")
  func origin() throws {
    let url = try #require(TransferURL("http://a:80/x"))
    for text in ["http://A/y", "http://user@a:80/"] { #expect(try #require(TransferURL(text)).hasOrigin(of: url)) }
    for text in ["https://a:80/", "http://b/", "http://a:81/"] {
      #expect(try !#require(TransferURL(text)).hasOrigin(of: url))
    }
  }
}
