import Foundation
import MillraceLoopback
import MillraceTesting
import Testing

@testable import MillraceHTTP

@Suite("TransferServer", .timeLimit(.minutes(1)))
struct TransferServerTests {
  private func server(_ url: String) throws -> TransferServer {
    try TransferServer(
      try #require(TransferURL(url)), agent: "test", connections: 2, limit: .seconds(10), bodyLimit: 100)
  }

  @Test("A path is asked for below the URL, whether that ends in a slash or not, with the URL's credentials")
  func paths() async throws {
    let requests = Recorder<LoopbackRequest>()
    let responder = try LoopbackResponder.toRequests { request in
      requests.record(request)
      return .answer(body: "body")
    }
    defer { responder.stop() }
    let base = "http://me:secret@localhost:\(responder.port)"
    for url in [base, base + "/", base + "/a", base + "/a/"] {
      #expect(try await server(url).answer(to: "b/c").body == Data("body".utf8))
    }
    #expect(requests.recorded.map(\.path) == ["/b/c", "/b/c", "/a/b/c", "/a/b/c"])
    let credentials = "Basic " + Data("me:secret".utf8).base64EncodedString()
    #expect(requests.recorded.allSatisfy { $0.headers["authorization"] == credentials })
    let posted = try await server(base).answer(to: "b", fields: ["Name: value"], body: Data("new".utf8))
    #expect(posted.isSuccess && posted.body.isEmpty)
    #expect(requests.recorded.last?.method == "POST" && requests.recorded.last?.body == "new")
    #expect(requests.recorded.last?.headers["name"] == "value")
    await #expect(throws: TransferFailure.noURL) {
      try await server(base).answer(to: String(repeating: "x", count: 9_000))
    }
  }

  @Test("An answer to a GET that is longer than its limit is a lasting failure, and one to a POST is an answer")
  func tooLong() async throws {
    let responder = try LoopbackResponder { .answer(body: String(repeating: "x", count: $0 == "/over" ? 101 : 100)) }
    defer { responder.stop() }
    let server = try server(responder.url(""))
    #expect(try await server.answer(to: "exact").body.count == 100)
    await #expect(throws: TransferFailure.tooLong(100)) { try await server.answer(to: "over") }
    #expect(TransferFailure.tooLong(100).isLasting)
    #expect(try await server.answer(to: "over", body: Data("new".utf8)).isSuccess)
  }

  @Test("The host is looked up at the beginning; one that is not known is a failure then")
  func unknownHost() throws {
    #expect(throws: TransferFailure.unknownHost) { try server("http://no..host/") }
  }

  @Test("The server's trouble may pass, and what it says of the request does not")
  func status() {
    func answer(_ status: Int) -> TransferLoop.Answer {
      TransferLoop.Answer(status: status, redirection: nil, isCut: false)
    }
    for status in [408, 425, 429, 500, 502, 503, 504] { #expect(answer(status).mayPass) }
    for status in [302, 400, 401, 403, 404, 410, 422] { #expect(!answer(status).mayPass) }
    for status in [200, 204, 299] { #expect(answer(status).isSuccess) }
    for status in [199, 300, 404, 503] { #expect(!answer(status).isSuccess) }
  }
}
