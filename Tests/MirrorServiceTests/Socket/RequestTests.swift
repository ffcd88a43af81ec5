import Foundation
import MillraceSocket
import Testing

@testable import MirrorService

@Suite("Request")
struct RequestTests {
  @Test(
    "A line is read as it says",
    arguments: [
      ("GET libs/zlib-1.3.tar.gz", .get("libs", "zlib-1.3.tar.gz")), ("GET libs/a/b_c", .get("libs", "a/b_c")),
      ("PUT libs/a 0", .put("libs", "a", length: 0)), ("PUT libs/a 100", .put("libs", "a", length: 100)),
      ("ADD apps", .add("apps")), ("REMOVE apps", .remove("apps")), ("STATUS", .status), ("METRICS", .metrics),
    ] as [(String, Request)])
  func read(line: String, request: Request) throws {
    #expect(try Request(line, largest: 100) == request)
  }

  @Test(
    "Bytes that are no request make a sentence",
    arguments: [
      ("", "A request is GET"), ("GET", "A request is GET"), ("get libs/a", "A request is GET"),
      ("GET libs/a b", "A request is GET"), ("STATUS ", "A request is GET"), ("GET libs", "An artifact is"),
      ("GET /a", "An artifact is"), ("GET libs/", "An artifact is"), ("GET libs//a", "An artifact is"),
      ("GET libs/../a", "An artifact is"), ("GET ./a", "An artifact is"), ("GET libs/a?b", "An artifact is"),
      ("GET libs/%2e%2e", "An artifact is"), ("GET libs/\u{E4}", "An artifact is"),
      ("GET libs/\u{FFFD}", "An artifact is"),
      ("PUT libs/a", "A request is GET"), ("PUT libs/a x", "PUT needs a length from 0 to 100"),
      ("PUT libs/a -1", "PUT needs a length"), ("PUT libs/a 101", "PUT needs a length"),
      ("PUT libs/a 99999999999999999999", "PUT needs a length"), ("ADD a/b", "The name of a repository"),
      ("ADD ..", "The name of a repository"), ("REMOVE ", "The name of a repository"),
    ])
  func invalid(line: String, beginning: String) {
    let error = #expect(throws: InvalidRequest.self) { try Request(line, largest: 100) }
    #expect(error?.sentence.hasPrefix(beginning) == true)
  }
}
