import Foundation
import Millrace
import MillraceSocket
import MillraceSocketClient
import MillraceTesting
import Testing

@Suite("LineServer", .timeLimit(.minutes(1)))
struct LineServerTests {
  /// A word, and the length of the body behind it.
  private struct EchoRequest: LineRequest {
    let word: String
    let length: Int

    init(_ line: String, largest: Int) throws(InvalidRequest) {
      let words = line.split(separator: " ").map(String.init)
      guard let word = words.first, words.count < 3 else { throw InvalidRequest("A request is a word and a length.") }
      let length = words.count == 2 ? Int(words[1]) : 0
      guard let length, 0...largest ~= length else { throw InvalidRequest("A length is at most \(largest).") }
      (self.word, self.length) = (word, length)
    }
  }

  /// A server that answers with the word and the body: `held` when a gate is open, any other request at once.
  private struct Running {
    let server: LineServer<EchoRequest>
    let port: UInt16
    let gate = Gate()

    init(_ bounds: LineBounds = LineBounds()) throws {
      let listener = try Listener()
      port = listener.port
      server = LineServer<EchoRequest>(listener, bounds: bounds) { [gate] request, body in
        if request.word == "held" { try? await gate.enter() }
        return LineAnswer(.ok, Data(request.word.utf8) + body)
      }
    }

    func client() throws -> LineClient { try #require(LineClient(port: port)) }

    func finish() async {
      server.stop()
      await server.finished()
      #expect(LineClient(port: port) == nil)
    }
  }

  @Test("A client that waits does not hold up another one, and each gets its own answers in order")
  func twoClients() async throws {
    let running = try Running()
    let (first, second) = (try running.client(), try running.client())
    first.send("held\nhello\n")
    try await running.gate.waitForArrivals(1)
    #expect(await second.ask("hello") == "OK hello")
    running.gate.open()
    #expect(await first.answer() == "OK held")
    #expect(await first.answer() == "OK hello")
    await running.finish()
  }

  @Test("The body of a request follows its line, in pieces and with line breaks; a line may end in CR and LF")
  func put() async throws {
    let running = try Running()
    let client = try running.client()
    client.send("put 10\r\nGET\n")
    client.send("x\ny\n")
    client.send("\n\nhello\r\n")
    #expect(await client.answer() == "OK putGET\nx\ny\n\n\n")
    #expect(await client.answer() == "OK hello")
    await running.finish()
  }

  @Test("A client that has sent all it will is answered")
  func halfClosed() async throws {
    let running = try Running()
    let client = try running.client()
    client.send("hello\n")
    client.finishSending()
    #expect(await client.answer() == "OK hello")
    #expect(await client.answer() == nil)
    await running.finish()
  }

  @Test(
    "Bytes that are no request are answered by a sentence, the connection is closed, and others continue",
    arguments: [
      ("a b c\nhello\n", "INVALID A request is a word and a length."),
      ("put 1048577\n" + String(repeating: "x", count: 50_000), "INVALID A length is at most 1048576."),
      ("\n", "INVALID A request is"), ("\0 \u{FF}\n", "INVALID A length is"),
      (String(repeating: "x", count: 1_025), "INVALID The request has too long a line."),
      (String(repeating: "x", count: 60_000) + "\n", "INVALID The request has too long a line."),
    ])
  func invalid(text: String, beginning: String) async throws {
    let running = try Running()
    let (client, other) = (try running.client(), try running.client())
    #expect(await other.ask("hello") == "OK hello")
    client.send(text)
    #expect(await client.answer()?.hasPrefix(beginning) == true)
    #expect(await client.answer() == nil)
    #expect(await other.ask("hello") == "OK hello")
    await running.finish()
  }

  @Test("A client that leaves in the middle of a line, of a body or of a wait is forgotten")
  func leaves() async throws {
    let running = try Running()
    for text in ["hel", "put 100\nabc", "held\n"] {
      let client = try running.client()
      client.send(text)
    }
    try await running.gate.waitForArrivals(1)
    running.gate.open()
    let other = try running.client()
    #expect(await other.ask("hello") == "OK hello")
    await running.finish()
  }

  @Test(
    "A client that does not complete its request in time is told so", arguments: ["hel", "put 100\nabc"])
  func slow(text: String) async throws {
    let running = try Running(LineBounds(patience: .milliseconds(20)))
    let client = try running.client()
    client.send(text)
    #expect(await client.answer() == "INVALID The request was not complete within 0.02 seconds.\n")
    #expect(await client.answer() == nil)
    await running.finish()
  }

  @Test("A client that asks for nothing is closed after a while")
  func idle() async throws {
    let running = try Running(LineBounds(idle: .milliseconds(20)))
    let client = try running.client()
    #expect(await client.answer() == nil)
    await running.finish()
  }

  @Test("A client that does not take its answers is closed after a while")
  func stuck() async throws {
    let listener = try Listener()
    let server = LineServer<EchoRequest>(listener, bounds: LineBounds(patience: .milliseconds(20))) { _, _ in
      LineAnswer(.ok, Data(count: 64 << 20))
    }
    let client = try #require(LineClient(port: listener.port))
    let other = try #require(LineClient(port: listener.port))
    client.send("hello\n")
    other.finishSending()
    #expect(await other.answer() == nil)
    server.stop()
    await server.finished()
    withExtendedLifetime(client) {}
  }

  @Test(
    "Beyond the number of connections a client is refused, or closed if many are; when one leaves, there is room again")
  func full() async throws {
    let running = try Running(LineBounds(connections: 1))
    let first = try running.client()
    #expect(await first.ask("hello") == "OK hello")
    let second = try running.client()
    // A close with these bytes unread would take the answer back.
    second.send("hello\n" + String(repeating: "x", count: 50_000))
    #expect(await second.answer() == "BUSY The server takes no more connections; come again.\n")
    #expect(await second.answer() == nil)
    #expect(try await running.client().answer() == nil)
    withExtendedLifetime(second) {}
    first.finishSending()
    #expect(await first.answer() == nil)
    #expect(try await running.client().ask("hello") == "OK hello")
    await running.finish()
  }

  @Test("After a stop the requests read are answered, nothing more is read, and no client can connect")
  func stop() async throws {
    let running = try Running()
    let (busy, idle) = (try running.client(), try running.client())
    #expect(await idle.ask("hello") == "OK hello")
    busy.send("held\n")
    try await running.gate.waitForArrivals(1)
    running.server.stop()
    #expect(await idle.answer() == nil)
    running.gate.open()
    #expect(await busy.answer() == "OK held")
    #expect(await busy.answer() == nil)
    await running.finish()
  }

  /// Regression: it shut down the socket that had got the listener's number meanwhile.
  @Test("A second stop changes nothing, after the end either")
  func stopTwice() async throws {
    let running = try Running()
    await running.finish()
    let other = try Listener()
    await running.finish()
    #expect(LineClient(port: other.port) != nil)
    other.close()
  }

  @Test("An answer is a word and a length on a line, then the bytes")
  func answer() {
    #expect(LineAnswer(.ok, Data("a\nb".utf8)).bytes == Data("OK 3\na\nb".utf8))
    #expect(LineAnswer(LineAnswer.Word("MISSING"), "No.").bytes == Data("MISSING 4\nNo.\n".utf8))
  }

  @Test("A port that is taken is an error in the system's words")
  func taken() throws {
    let listener = try Listener()
    let error = #expect(throws: ListenError.self) { try Listener(port: listener.port) }
    #expect(error?.description == "Address already in use")
    listener.close()
  }
}
