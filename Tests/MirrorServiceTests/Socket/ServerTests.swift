import Foundation
import Millrace
import MillraceFlags
import MillraceTesting
import Testing

@testable import MirrorService

@Suite("Server", .timeLimit(.minutes(1)))
struct ServerTests {
  /// A server that answers a GET of `held` when a gate is open, a PUT with what was put, and any other request at once.
  private struct Running {
    let server: Server
    let port: UInt16
    let gate = Gate()

    init(_ bounds: Server.Bounds = Server.Bounds()) throws {
      let listener = try Listener(port: 0)
      port = listener.port
      server = Server(listener, bounds: bounds) { [gate] request, body in
        if request == .get("libs", "held") { try? await gate.enter() }
        return Answer(.ok, body.isEmpty ? Data("\(request)".utf8) : body)
      }
    }

    func client() throws -> Client { try #require(Client(port: port)) }

    func finish() async {
      server.stop()
      await server.finished()
      #expect(Client(port: port) == nil)
    }
  }

  @Test("A client that waits does not hold up another one, and each gets its own answers in order")
  func twoClients() async throws {
    let running = try Running()
    let (first, second) = (try running.client(), try running.client())
    first.send("GET libs/held\nSTATUS\n")
    try await running.gate.waitForArrivals(1)
    #expect(await second.ask("STATUS") == "OK status")
    running.gate.open()
    #expect(await first.answer() == "OK get(\"libs\", \"held\")")
    #expect(await first.answer() == "OK status")
    await running.finish()
  }

  @Test("The content of a PUT follows its line, in pieces and with line breaks; a line may end in CR and LF")
  func put() async throws {
    let running = try Running()
    let client = try running.client()
    client.send("PUT libs/a 10\r\nGET\n")
    client.send("x\ny\n")
    client.send("\n\nSTATUS\r\n")
    #expect(await client.answer() == "OK GET\nx\ny\n\n\n")
    #expect(await client.answer() == "OK status")
    await running.finish()
  }

  @Test("A client that has sent all it will is answered")
  func halfClosed() async throws {
    let running = try Running()
    let client = try running.client()
    client.send("STATUS\n")
    client.finishSending()
    #expect(await client.answer() == "OK status")
    #expect(await client.answer() == nil)
    await running.finish()
  }

  @Test(
    "Bytes that are no request are answered by a sentence, the connection is closed, and others continue",
    arguments: [
      ("hello\nSTATUS\n", "INVALID A request is GET"),
      ("PUT libs/a 1048577\n" + String(repeating: "x", count: 50_000), "INVALID PUT needs"),
      ("\n", "INVALID A request is GET"), ("\0\u{FF}\n", "INVALID A request is GET"),
      (String(repeating: "x", count: 1_025), "INVALID The request has too long a line."),
      (String(repeating: "x", count: 60_000) + "\n", "INVALID The request has too long a line."),
    ])
  func invalid(text: String, beginning: String) async throws {
    let running = try Running()
    let (client, other) = (try running.client(), try running.client())
    #expect(await other.ask("STATUS") == "OK status")
    client.send(text)
    #expect(await client.answer()?.hasPrefix(beginning) == true)
    #expect(await client.answer() == nil)
    #expect(await other.ask("STATUS") == "OK status")
    await running.finish()
  }

  @Test("A client that leaves in the middle of a line, of a content or of a wait is forgotten")
  func leaves() async throws {
    let running = try Running()
    for text in ["GET lib", "PUT libs/a 100\nabc", "GET libs/held\n"] {
      let client = try running.client()
      client.send(text)
    }
    try await running.gate.waitForArrivals(1)
    running.gate.open()
    let other = try running.client()
    #expect(await other.ask("STATUS") == "OK status")
    await running.finish()
  }

  @Test(
    "A client that does not complete its request in time is told so", arguments: ["GET lib", "PUT libs/a 100\nabc"])
  func slow(text: String) async throws {
    let running = try Running(Server.Bounds(patience: .milliseconds(20)))
    let client = try running.client()
    client.send(text)
    #expect(await client.answer() == "INVALID The request was not complete within 0.02 seconds.\n")
    #expect(await client.answer() == nil)
    await running.finish()
  }

  @Test("A client that asks for nothing is closed after a while")
  func idle() async throws {
    let running = try Running(Server.Bounds(idle: .milliseconds(20)))
    let client = try running.client()
    #expect(await client.answer() == nil)
    await running.finish()
  }

  @Test("A client that does not take its answers is closed after a while")
  func stuck() async throws {
    let listener = try Listener(port: 0)
    let server = Server(listener, bounds: Server.Bounds(patience: .milliseconds(20))) { _, _ in
      Answer(.ok, Data(count: 64 << 20))
    }
    let client = try #require(Client(port: listener.port))
    let other = try #require(Client(port: listener.port))
    client.send("STATUS\n")
    other.finishSending()
    #expect(await other.answer() == nil)
    server.stop()
    await server.finished()
    withExtendedLifetime(client) {}
  }

  @Test(
    "Beyond the number of connections a client is refused, or closed if many are; when one leaves, there is room again")
  func full() async throws {
    let running = try Running(Server.Bounds(connections: 1))
    let first = try running.client()
    #expect(await first.ask("STATUS") == "OK status")
    let second = try running.client()
    // A close with these bytes unread would take the answer back.
    second.send("STATUS\n" + String(repeating: "x", count: 50_000))
    #expect(await second.answer() == "BUSY The mirror takes no more connections; come again.\n")
    #expect(await second.answer() == nil)
    #expect(try await running.client().answer() == nil)
    withExtendedLifetime(second) {}
    first.finishSending()
    #expect(await first.answer() == nil)
    #expect(try await running.client().ask("STATUS") == "OK status")
    await running.finish()
  }

  @Test("After a stop the requests read are answered, nothing more is read, and no client can connect")
  func stop() async throws {
    let running = try Running()
    let (busy, idle) = (try running.client(), try running.client())
    #expect(await idle.ask("STATUS") == "OK status")
    busy.send("GET libs/held\n")
    try await running.gate.waitForArrivals(1)
    running.server.stop()
    #expect(await idle.answer() == nil)
    running.gate.open()
    #expect(await busy.answer() == "OK get(\"libs\", \"held\")")
    #expect(await busy.answer() == nil)
    await running.finish()
  }

  /// Regression: it shut down the socket that had got the listener's number meanwhile.
  @Test("A second stop changes nothing, after the end either")
  func stopTwice() async throws {
    let running = try Running()
    await running.finish()
    let other = try Listener(port: 0)
    await running.finish()
    #expect(Client(port: other.port) != nil)
    other.close()
  }

  @Test("A port that is taken is a sentence")
  func taken() throws {
    let listener = try Listener(port: 0)
    let error = #expect(throws: FlagError.self) { try Listener(port: listener.port) }
    #expect(
      error?.message
        == "mirror cannot listen on port \(listener.port): Address already in use; choose another one by --listen.")
    listener.close()
  }
}
