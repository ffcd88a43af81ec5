import Foundation
import MillraceHTTP
import MillraceLoopback
import MillraceTesting
import Testing

@testable import PulseService

@Suite("HTTPTransfer: redirections and credentials", .timeLimit(.minutes(1)))
struct HTTPTransferTests {
  private func redirection(to location: String) -> String {
    "HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"
  }

  @Test("Redirections are followed, and a loop of them is given up")
  func loop() async throws {
    let server = try HostileServer([
      "/a": redirection(to: "/b?c=d"), "/b?c=d": redirection(to: "up"),
      "/loop": redirection(to: "/loop"), "/ping": redirection(to: "pong"), "/pong": redirection(to: "./ping"),
      "/empty": redirection(to: ""), "/self": redirection(to: "?"),
    ])
    defer { server.stop() }
    #expect(try await server.verdict("/a") == "up")
    #expect(try await server.verdict("/loop") == "too many redirections")
    #expect(try await server.verdict("/ping") == "too many redirections")
    #expect(try await server.verdict("/empty") == "up")
    #expect(try await server.verdict("/self") == "too many redirections")
  }

  @Test("Ten redirections are followed, and no more", arguments: [9, 10, 11])
  func redirections(count: Int) async throws {
    let texts = Dictionary(
      uniqueKeysWithValues: (0..<count).map { ("/\($0)", redirection(to: $0 == count - 1 ? "/up" : "/\($0 + 1)")) })
    let server = try HostileServer(texts)
    defer { server.stop() }
    #expect(try await server.verdict("/0") == (count <= 10 ? "up" : "too many redirections"))
  }

  @Test(
    "A redirection to another scheme, or to no URL, is not followed",
    arguments: [
      "ftp://127.0.0.1/", "file:///etc/passwd", "gopher://a.loop/", "dict://a.loop/", "javascript:alert(1)",
      "http://a.loop:99999/", "http://a,b.loop/", "http://münchen.loop/",
    ])
  func schemes(location: String) async throws {
    let server = try HostileServer(["/": redirection(to: location)])
    defer { server.stop() }
    #expect(try await server.verdict() == "redirected to what is no http:// or https:// URL")
  }

  @Test("A redirection to a URL that is too long is not followed")
  func length() async throws {
    let server = try HostileServer(["/": redirection(to: "/" + String(repeating: "a", count: 9000))])
    defer { server.stop() }
    #expect(try await server.verdict() == "redirected to what is no http:// or https:// URL")
  }

  @Test("A redirection to a name that has no address is down, and pulse alone looks names up")
  func names() async throws {
    let server = try HostileServer(["/": redirection(to: "http://nowhere.test/")])
    defer { server.stop() }
    #expect(try await server.verdict() == "host not found")
  }

  @Test("A redirection with an endless body is down")
  func endlessBody() async throws {
    let head = Array("HTTP/1.1 302 Found\r\nLocation: /next\r\n\r\n".utf8)
    let server = try HostileServer { _ in .raw(head, then: .repeating(Array(repeating: 0x20, count: 65_536))) }
    defer { server.stop() }
    #expect(try await server.verdict() == "redirected with too long a body")
  }

  @Test("The credentials of the URL are sent, to the same server after a redirection too, and to no other one")
  func credentials() async throws {
    let requests = Recorder<LoopbackRequest>()
    let responder = try LoopbackResponder.toRequests { request in
      requests.record(request)
      let port = request.headers["host"]?.split(separator: ":").last ?? ""
      let locations = ["/start": "/same", "/same": "http://other.loop:\(port)/other"]
      let location = locations[request.path] ?? ""
      return .raw(Array("HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n".utf8))
    }
    defer { responder.stop() }
    let resolver = Resolver { _ in ["127.0.0.1"] }
    let transfer = HTTPTransfer(limit: .seconds(60), resolver: resolver)
    let url = try #require(URL(string: "http://user:p%40ss@own.loop:\(responder.port)/start"))
    #expect(try await transfer.get(url, readsCertificates: false).status == 302)
    let fields = try await requests.next(3).map { $0.headers["authorization"] }
    let basic = "Basic " + Data("user:p@ss".utf8).base64EncodedString()
    #expect(fields == [basic, basic, nil])
  }

  @Test("A transfer that takes too long ends by itself, and says how long it has waited")
  func limit() async throws {
    let responder = try LoopbackResponder { _ in .hang }
    defer { responder.stop() }
    let gateway = LiveEndpointGateway(limit: .milliseconds(100))
    await #expect(throws: GatewayFailure("no answer within 0.1 s")) {
      try await gateway.probe(Endpoint(responder.url()))
    }
  }

  @Test("An environment that names a proxy changes nothing")
  func proxy() async throws {
    await #expect(processExitsWith: .success) {
      setenv("http_proxy", "http://127.0.0.1:\(try LoopbackResponder.closedPort())", 1)
      setenv("all_proxy", "http://proxy.invalid:1", 1)
      let responder = try LoopbackResponder { _ in .answer() }
      try await LiveEndpointGateway(limit: .seconds(60)).probe(Endpoint(responder.url()))
    }
  }
}
