import Foundation
import Testing

@testable import PulseService

@Suite("Named")
struct NamedTests {
  @Test("URLs that are shown alike are numbered, and a URL that is given twice is one")
  func numbered() throws {
    let urls = [
      "http://a/b?k=1", "http://a/b?k=2", "http://a/b?k=1", "http://a/b", "http://a/b#c", "http://u@a/b?k", "tcp://a:1",
    ]
    let endpoints = try urls.map { try Endpoint($0) }.named
    #expect(
      endpoints.map(\.name) == [
        "http://a/b?…", "http://a/b?…#2", "http://a/b", "http://a/b#2", "http://…@a/b?…", "tcp://a:1",
      ])
    #expect(endpoints.map(\.kind) == (try [0, 1, 3, 4, 5, 6].map { try Endpoint(urls[$0]).kind }))
    let webhooks = try urls.dropLast().map { try Webhook($0) }.named
    #expect(
      webhooks.map(\.name) == ["http://a/…", "http://a/…#2", "http://a/…#3", "http://a/…#4", "http://…@a/…"])
  }

  @Test("A recorded target has its name, host and path, a recorded webhook its name and host, and each stays distinct")
  func redacted() throws {
    let urls = ["http://u:p@a:80/b?k=1#f", "http://u:p@a:80/b?k=2#f"]
    let endpoints = try urls.map { try Endpoint($0) }.named.map(\.redacted)
    #expect(endpoints.map(\.name) == ["http://…@a:80/b?…", "http://…@a:80/b?…#2"])
    #expect(endpoints.allSatisfy { $0.kind == .http(URL(string: "http://a:80/b")!) })
    let webhooks = try urls.map { try Webhook($0) }.named.map(\.redacted)
    #expect(webhooks.map(\.name) == ["http://…@a:80/…", "http://…@a:80/…#2"])
    #expect(webhooks.allSatisfy { $0.url == URL(string: "http://a:80") })
    #expect(Set(endpoints).count == 2 && Set(webhooks).count == 2)
    for plain in [try Endpoint("http://a/b"), try Endpoint("tcp://a:1")] { #expect(plain.redacted == plain) }
  }
}
