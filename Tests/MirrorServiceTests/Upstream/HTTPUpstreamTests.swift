import Foundation
import MillraceFlags
import MillraceLoopback
import Testing

@testable import MirrorService

@Suite("HTTPUpstream", .timeLimit(.minutes(1)))
struct HTTPUpstreamTests {
  private func upstream(_ url: String) throws -> HTTPUpstream {
    try HTTPUpstream(try Options(try Options.flags.parse(["--upstream", url, "--keep", "5"])), now: { .seconds(1) })
  }

  @Test("An answer is an artifact that is stamped, none, or a failure that may pass or not")
  func fetch() async throws {
    let responder = try LoopbackResponder { path in
      Int(path.dropFirst()).map { .answer(status: $0, body: "body") } ?? .reset
    }
    defer { responder.stop() }
    let upstream = try upstream(responder.url("").replacing("127.0.0.1", with: "localhost"))
    #expect(try await upstream.fetch("200") == Artifact(Data("body".utf8), until: .seconds(6)))
    for status in [404, 410] { #expect(try await upstream.fetch("\(status)") == Artifact(nil, until: .seconds(6))) }
    for (status, isLasting) in [(302, true), (403, true), (408, false), (429, false), (500, false), (503, false)] {
      await #expect(
        throws: UpstreamFailure(
          description: "the upstream answered with the status \(status)", isLasting: isLasting, status: status)
      ) { try await upstream.fetch("\(status)") }
      await #expect(throws: UpstreamFailure.self) {
        try await upstream.publish(Data("x".utf8), as: "\(status)", idempotencyKey: "k")
      }
    }
    await #expect(throws: UpstreamFailure(description: "connection lost")) { try await upstream.fetch("reset") }
    let published = try await upstream.publish(Data("new".utf8), as: "201", idempotencyKey: "k")
    #expect(published == Artifact(Data("new".utf8), until: .seconds(6)))
  }

  @Test("An artifact that is larger than a PUT may be is refused for good")
  func large() async throws {
    let responder = try LoopbackResponder { path in
      .answer(body: String(repeating: "x", count: Limits().artifact + (path == "/over" ? 1 : 0)))
    }
    defer { responder.stop() }
    let upstream = try upstream(responder.url())
    #expect(try await upstream.fetch("exact").count == 1 << 20)
    await #expect(throws: UpstreamFailure(description: "the answer has more than 1048576 bytes", isLasting: true)) {
      try await upstream.fetch("over")
    }
  }
}
