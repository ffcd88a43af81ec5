import Foundation
import Millrace
import MillraceLoopback
import MillraceSilentNames
import MillraceTesting
import Testing

@testable import MillraceHTTP

@Suite("TransferServer", .timeLimit(.minutes(1)))
struct TransferServerTests {
  private func server(_ url: String, resolver: Resolver = Resolver()) throws -> TransferServer {
    try TransferServer(
      try #require(TransferURL(url)), agent: "test", connections: 2, limit: .seconds(10), bodyLimit: 100,
      resolver: resolver)
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

  // The addresses of the beginning were used for ever, also when the server had moved.
  @Test("The host is looked up for each connection that is made, and for no request over one that was kept")
  func lookUps() async throws {
    let responder = try LoopbackResponder { $0 == "/reset" ? .reset : .answer() }
    defer { responder.stop() }
    let names = Recorder<String>()
    // Nothing listens on the second address; the server moves there, and back.
    let addresses = Lock(["127.0.0.1"])
    let resolver = Resolver { host throws(TransferFailure) in
      names.record(host)
      return addresses.withLock { $0 }
    }
    let server = try server("http://server.test:\(responder.port)", resolver: resolver)
    #expect(names.recorded == ["server.test"])
    for _ in 0..<3 { #expect(try await server.answer(to: "a").isSuccess) }
    #expect(names.recorded.count == 2)
    addresses.withLock { $0 = ["127.0.0.3"] }
    #expect(try await server.answer(to: "a").isSuccess)
    await #expect(throws: TransferFailure.self) { try await server.answer(to: "reset") }
    await #expect(throws: TransferFailure.system(ECONNREFUSED)) { try await server.answer(to: "a") }
    addresses.withLock { $0 = ["127.0.0.3", "127.0.0.1"] }
    #expect(try await server.answer(to: "a").isSuccess)
    addresses.withLock { $0 = [] }
    await #expect(throws: TransferFailure.self) { try await server.answer(to: "reset") }
    await #expect(throws: TransferFailure.unknownHost) { try await server.answer(to: "a") }
  }

  @Test("A request whose look-up does not end is over in its time, or with its task, and others continue")
  func silentNameServer() async throws {
    let names = SilentNames()
    defer { names.answer() }
    let responder = try LoopbackResponder { _ in .answer() }
    defer { responder.stop() }
    let loop = TransferLoop(agent: "tests")
    loop.keep(connections: 2)
    let resolver = Resolver(lookUp: names.lookUp)
    func request(_ host: String, limit: Duration = .seconds(36_000)) throws -> TransferLoop.Request {
      let url = try #require(TransferURL("http://\(host):\(responder.port)/"))
      return TransferLoop.Request(url: url, resolver: resolver, limit: limit)
    }
    let silent = try request("silent.test")
    let waiting = Task { try await loop.answer(to: silent) }
    _ = try await names.lookedUp.next()
    #expect(try await loop.answer(to: request("healthy.test")).status == 200)
    await #expect(throws: TransferFailure.silentNameServer) {
      try await loop.answer(to: request("silent.test", limit: .milliseconds(20)))
    }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(try await loop.answer(to: request("healthy.test")).status == 200)
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
