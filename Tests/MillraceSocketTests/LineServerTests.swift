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
      (String(repeating: "x", count: 1_025) + "\n", "INVALID The request has too long a line."),
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

  @Test("A line has at most 1,024 bytes", arguments: [1_023, 1_024])
  func longestLine(count: Int) async throws {
    let running = try Running()
    let word = String(repeating: "x", count: count)
    let client = try running.client()
    #expect(await client.ask(word) == "OK \(word)")
    await running.finish()
  }

  @Test("A body has at most as many bytes as the bounds say", arguments: [9, 10, 11])
  func largest(count: Int) async throws {
    let running = try Running(LineBounds(largest: 10))
    let client = try running.client()
    client.send("put \(count)\n" + String(repeating: "x", count: count))
    let body = String(repeating: "x", count: count)
    #expect(await client.answer() == (count <= 10 ? "OK put\(body)" : "INVALID A length is at most 10.\n"))
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

  @Test("Where all connections are busy a client is refused, or closed if many are, until a busy one is idle")
  func full() async throws {
    let running = try Running(LineBounds(connections: 1))
    let first = try running.client()
    first.send("held\n")
    try await running.gate.waitForArrivals(1)
    let second = try running.client()
    // A close with these bytes unread would take the answer back.
    second.send("hello\n" + String(repeating: "x", count: 50_000))
    #expect(await second.answer() == "BUSY The server takes no more connections; come again.\n")
    #expect(await second.answer() == nil)
    #expect(try await running.client().answer() == nil)
    withExtendedLifetime(second) {}
    running.gate.open()
    #expect(await first.answer() == "OK held")
    first.finishSending()
    #expect(await first.answer() == nil)
    #expect(try await running.client().ask("hello") == "OK hello")
    await running.finish()
  }

  // As many clients that sent nothing as there are connections shut out all others.
  @Test("Where there is no room for a client, the client that has been idle the longest is told so and makes room")
  func evicted() async throws {
    let running = try Running(LineBounds(connections: 3))
    let (busy, active) = (try running.client(), try running.client())
    busy.send("held\n")
    try await running.gate.waitForArrivals(1)
    var evicted = try running.client()
    #expect(await evicted.ask("hello") == "OK hello")
    #expect(await active.ask("hello") == "OK hello")
    for _ in 0..<5 {
      let client = try running.client()
      #expect(await evicted.answer() == Self.eviction)
      #expect(await evicted.answer() == nil)
      #expect(await active.ask("hello") == "OK hello")
      evicted = client
    }
    #expect(await evicted.ask("hello") == "OK hello")
    let last = try running.client()
    #expect(await active.answer() == Self.eviction)
    #expect(await last.ask("hello") == "OK hello")
    running.gate.open()
    #expect(await busy.answer() == "OK held")
    await running.finish()
  }

  private static let eviction =
    "BUSY The server closes the connection that was idle the longest, for another client; connect again.\n"

  // Such a client got nothing at all.
  @Test(
    "A request that its client has not completed before it closes is not carried out, and is answered so",
    arguments: ["hello", "put 5\nabc"])
  func unended(text: String) async throws {
    let running = try Running()
    let client = try running.client()
    client.send("hello\n" + text)
    client.finishSending()
    #expect(await client.answer() == "OK hello")
    #expect(
      await client.answer()
        == "INVALID The request was not complete when the client closed; a line ends in a line break.\n")
    #expect(await client.answer() == nil)
    await running.finish()
  }

  @Test("A part of a line that a stop cuts off is not answered")
  func unendedByStop() async throws {
    let running = try Running()
    let client = try running.client()
    #expect(await client.ask("hello") == "OK hello")
    client.send("hel")
    running.server.stop()
    #expect(await client.answer() == nil)
    await running.finish()
  }

  @Test("A connection whose descriptor is not below the bound is closed at once, and others continue")
  func descriptors() async throws {
    let running = try Running(LineBounds(descriptors: 0))
    #expect(try await running.client().answer() == nil)
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
