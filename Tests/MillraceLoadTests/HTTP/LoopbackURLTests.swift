import MillraceFlags
import Testing

@testable import MillraceLoadCommand

@Suite("LoopbackURL")
struct LoopbackURLTests {
  @Test(
    "A host of this machine is taken, and localhost has its addresses without a look-up",
    arguments: [
      ("http://127.0.0.1:8080/a", []), ("http://127.255.0.3", []), ("https://[::1]:1/", []), ("http://127.1/", []),
      ("http://LocalHost:8080", ["127.0.0.1", "::1"]),
    ] as [(String, [String])])
  func taken(text: String, addresses: [String]) throws {
    #expect(try LoopbackURL(text, flag: "--target").addresses == addresses)
  }

  @Test(
    "A host of another machine is refused, whatever the user in front of it is called",
    arguments: [
      "http://example.com/", "http://10.0.0.1/", "http://128.0.0.1/", "http://[::2]/", "http://[fe80::1]/",
      "http://0.0.0.0/", "http://localhost.example.com/", "http://localhost@example.com/", "http://1/",
    ])
  func refused(text: String) throws {
    let error = try #require(throws: FlagError.self) { try LoopbackURL(text, flag: "--target") }
    #expect(error.message.hasPrefix("--target loads services on this machine only, but was given 'http"))
    #expect(error.message.hasSuffix("; name a host of 127.0.0.0/8, [::1] or localhost."))
  }

  @Test(
    "A text that is no URL is refused",
    arguments: [
      ("x", "an http:// or https:// URL"), ("ftp://127.0.0.1/", "an http:// or https:// URL"),
      ("http://", "a URL whose host is an address, "),
      ("http://127.0.0.1:99999/", "a URL with a port from 0 to 65535, "),
      ("http://a b/", "a URL whose host is an address, "),
    ])
  func broken(text: String, needs: String) throws {
    let error = try #require(throws: FlagError.self) { try LoopbackURL(text, flag: "--target") }
    #expect(error.message.hasPrefix("--target needs \(needs)") && error.message.contains(", but was given '\(text)'; "))
  }

  @Test("User, password and query are shown nowhere")
  func secrets() throws {
    for text in ["http://ann:hush@example.com/?key", "http://ann:hush@127.0.0.1:99999/?key"] {
      let error = try #require(throws: FlagError.self) { try LoopbackURL(text, flag: "--target") }
      for secret in ["ann", "hush", "key"] { #expect(!error.message.contains(secret)) }
    }
    let url = try LoopbackURL("http://ann:hush@127.0.0.1/a?key", flag: "--target")
    #expect(url.description == "http://127.0.0.1/a?…")
  }
}
