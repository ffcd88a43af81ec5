import MillraceFlags
import MillraceHTTP
import MillraceLoopback
import MillraceTesting
import Testing

@testable import MillraceLoad
@testable import MillraceLoadCommand

@Suite("HTTPClient", .timeLimit(.minutes(1)))
struct HTTPClientTests {
  private func client(_ responder: LoopbackResponder, limit: Duration = .seconds(60)) throws -> HTTPClient {
    let client = try HTTPClient(LoopbackURL(responder.url("/a?key"), flag: "--target"), limit: limit)
    client.prepare(for: 0)
    return client
  }

  @Test("A status of 200 to 399 is a success; redirections are not followed", arguments: [200, 204, 301, 399])
  func success(status: Int) async throws {
    let paths = Recorder<String>()
    let responder = try LoopbackResponder { path in
      paths.record(path)
      return .raw(Array("HTTP/1.1 \(status) Scripted\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n".utf8))
    }
    defer { responder.stop() }
    let client = try client(responder)
    #expect(try await client.get() == status)
    #expect(await client.end().status == status)
    #expect(try await paths.next(2) == ["/a?key", "/a?key"])
  }

  @Test("Any other status is an error that names it and shows no query", arguments: [400, 404, 500, 503])
  func failure(status: Int) async throws {
    let responder = try LoopbackResponder { _ in .answer(status: status) }
    defer { responder.stop() }
    let client = try client(responder)
    await #expect(throws: HTTPError("\(responder.url("/a?…")) answered with the status \(status).", status: status)) {
      try await client.get()
    }
    #expect(await client.end().status == status)
  }

  @Test(
    "An answer that does not arrive whole is an error that says why",
    arguments: [
      (.reset, "connection lost"), (.hang, "no answer within 0.1 s"),
      (.raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort".utf8)), "the answer was cut short"),
      (.raw([]), "empty answer"), (.raw(Array("No HTTP.\r\n\r\n".utf8)), "answer is not HTTP"),
    ] as [(LoopbackResponder.Reply, String)])
  func broken(reply: LoopbackResponder.Reply, reason: String) async throws {
    let responder = try LoopbackResponder { _ in reply }
    defer { responder.stop() }
    let client = try client(responder, limit: reason.contains("within") ? .milliseconds(100) : .seconds(60))
    await #expect(throws: HTTPError("\(responder.url("/a?…")) could not be loaded: \(reason).")) {
      try await client.get()
    }
  }

  @Test("A body is waited for up to its end, however long it is")
  func longBody() async throws {
    let responder = try LoopbackResponder { _ in .answer(body: String(repeating: "x", count: 3_000_000)) }
    defer { responder.stop() }
    let client = try client(responder)
    for _ in 0..<3 { try await client.get() }
    // A body that was cut would have cost its connection.
    #expect(responder.connectionCount == 1)
  }

  /// Runs the scenario of `--target` with three users: 100 requests in 200 ms.
  private func run(against responder: LoopbackResponder, drain: Duration) async throws -> LoadReport {
    let flags = LoadCommand.flags(command: "load", [httpScenario], others: [targetFlag, .trustedIssuers])
    let scenario = try #require(try targetScenario(flags.parse(["--target", responder.url()])))
    return try await scenario.run(
      LoadOptions(.open(.constant(500)), duration: .milliseconds(200), drain: drain, users: 3))
  }

  @Test("The scenario of --target opens a connection for each virtual user at most, and sends every request")
  func connections() async throws {
    // Three connections take 300 requests a second, so that some of the 500 wait.
    let responder = try LoopbackResponder { _ in .answer(after: .milliseconds(10)) }
    defer { responder.stop() }
    let report = try await run(against: responder, drain: .seconds(50))
    #expect(report.counts.finished == 100 && report.statuses == [200: 100] && report.counts.failed == 0)
    #expect(responder.connectionCount == 3)
  }

  @Test("The scenario of --target cancels what is in flight at its end, under way or waiting for a connection")
  func end() async throws {
    let responder = try LoopbackResponder { _ in .hang }
    defer { responder.stop() }
    let report = try await run(against: responder, drain: .milliseconds(1))
    #expect(report.counts.sent == 100 && report.counts.inFlight == 100)
  }

  @Test("The scenario http is answered by a responder in this process")
  func ownResponder() async throws {
    let report = try await httpScenario.run(LoadOptions(.open(.constant(200)), duration: .milliseconds(100), users: 2))
    #expect(report.counts.finished == 20 && report.counts.failed == 0)
  }
}
