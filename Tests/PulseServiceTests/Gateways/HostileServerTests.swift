import Foundation
import MillraceLoopback
import MillraceTesting
import Testing

@testable import MillraceHTTP
@testable import PulseService

@Suite("A hostile server", .timeLimit(.minutes(2)))
struct HostileServerTests {
  private static let ok = "HTTP/1.1 200 OK\r\n"

  @Test(
    "An answer that ended the process when FoundationNetworking read it is a verdict like any other",
    arguments: [
      (ok, "the answer was cut short"),
      (ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nTrailer: x\r\n\r\n", "up"),
      (ok + "Content-Length: 9223372036854775807\r\n\r\nok", "the answer was cut short"),
    ])
  func traps(answer: String, verdict: String) async throws {
    let server = try HostileServer(["/": answer])
    defer { server.stop() }
    #expect(try await server.verdict() == verdict)
  }

  @Test(
    "A length that is wrong is not believed",
    arguments: [
      ("Content-Length: 1\r\n\r\nokokok", "up"),
      ("Content-Length: 3\r\n\r\nok", "the answer was cut short"),
      ("Content-Length: -1\r\n\r\nok", "answer is not HTTP"),
      ("Content-Length: many\r\n\r\nok", "answer is not HTTP"),
      ("Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nok", "the answer broke off"),
      ("Transfer-Encoding: chunked\r\n\r\n2\r\nok", "the answer was cut short"),
    ])
  func lengths(rest: String, verdict: String) async throws {
    let server = try HostileServer(["/": Self.ok + rest])
    defer { server.stop() }
    #expect(try await server.verdict() == verdict)
  }

  @Test(
    "A target that does not speak HTTP, or never answers, is down",
    arguments: [
      "SSH-2.0-OpenSSH_9.2\r\n",
      "\0\0\0\0",
    ])
  func notHTTP(answer: String) async throws {
    let server = try HostileServer(["/": answer])
    defer { server.stop() }
    #expect(try await server.verdict() == "answer is not HTTP")
  }

  @Test("An interim answer alone is no answer, and one before the answer is passed over")
  func interim() async throws {
    let server = try HostileServer([
      "/alone": "HTTP/1.1 103 Early Hints\r\n\r\n", "/switch": "HTTP/1.1 101 Switching Protocols\r\n\r\n\u{1}\u{2}",
      "/before": "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
    ])
    defer { server.stop() }
    #expect(try await server.verdict("/alone") == "empty answer")
    #expect(try await server.verdict("/switch") == "the server switched to another protocol (status 101)")
    #expect(try await server.verdict("/before") == "up")
  }

  @Test(
    "A header without an end is given up, whether it is one line, many lines or many interim answers",
    arguments: ["a", "X-More: more\r\n", "\r\nHTTP/1.1 103 Early Hints\r\n"])
  func endlessHeader(piece: String) async throws {
    let start = piece.hasPrefix("\r\n") ? "HTTP/1.1 103 Early Hints\r\n" : Self.ok
    let server = try HostileServer { _ in .raw(Array(start.utf8), then: .repeating(Array(piece.utf8))) }
    defer { server.stop() }
    #expect(try await server.verdict() == "the header of the answer is too long")
  }

  @Test(
    "A body without an end is an answer after some of it, framed or not",
    arguments: ["", "Content-Length: 9223372036854775807\r\n", "Transfer-Encoding: chunked\r\n"])
  func endlessBody(framing: String) async throws {
    let chunk = framing.hasPrefix("T") ? "10000\r\n" + String(repeating: "x", count: 65_536) + "\r\n" : nil
    let piece = Array((chunk ?? String(repeating: "x", count: 65_536)).utf8)
    let server = try HostileServer { _ in .raw(Array("\(Self.ok)\(framing)\r\n".utf8), then: .repeating(piece)) }
    defer { server.stop() }
    #expect(try await server.verdict() == "up")
  }

  @Test("A body whose end does not arrive in time is no missing answer", arguments: ["", "Content-Length: 9\r\n"])
  func lateBody(framing: String) async throws {
    let responder = try LoopbackResponder { path in
      path == "/interim"
        ? .raw(Array("HTTP/1.1 103 Early Hints\r\n\r\n".utf8), then: .stay)
        : .raw(Array("\(Self.ok)\(framing)\r\nok".utf8), then: .stay)
    }
    defer { responder.stop() }
    let gateway = LiveEndpointGateway(limit: .milliseconds(200))
    await #expect(throws: GatewayFailure("the answer did not end within 0.2 s")) {
      try await gateway.probe(Endpoint(responder.url()))
    }
    await #expect(throws: GatewayFailure.late(.milliseconds(200))) {
      try await gateway.probe(Endpoint(responder.url("/interim")))
    }
  }

  @Test("An answer that comes one byte at a time is up")
  func oneByOne() async throws {
    let answer = Array((Self.ok + "Content-Length: 2\r\nX-More: more\r\n\r\nok").utf8)
    let server = try HostileServer { _ in .raw(answer, isOneByOne: true, then: .stay) }
    defer { server.stop() }
    #expect(try await server.verdict() == "up")
  }

  @Test("A compressed body is only bytes: what it would become is never made")
  func bomb() async throws {
    let bomb = Self.bomb(blocks: 4000)
    #expect(bomb.count < 60_000)
    let head = Self.ok + "Content-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n"
    let server = try HostileServer { _ in .raw(Array(head.utf8) + bomb) }
    defer { server.stop() }
    #expect(try await server.verdict() == "up")
    let url = try #require(TransferURL(server.responder.url()))
    let answer = try await TransferLoop(agent: "pulse").answer(to: .init(url: url, limit: .seconds(120)))
    // 8 MB of zeros would be cut.
    #expect(answer == .init(status: 200, redirection: nil, isCut: false, body: Data()))
  }

  @Test("A connection that is cut after any byte of an answer is down, but for the last")
  func cuts() async throws {
    let answers = [
      Self.ok + "Content-Length: 2\r\nX: y\r\n\r\nok",
      Self.ok + "Transfer-Encoding: chunked\r\nTrailer: T\r\n\r\n2\r\nok\r\n0\r\nT: t\r\n\r\n",
      "HTTP/1.1 100 Continue\r\n\r\n" + Self.ok + "Content-Length: 0\r\n\r\n",
    ].map { Array($0.utf8) }
    let server = try HostileServer { path in
      let numbers = path.dropFirst().split(separator: "-").compactMap { Int($0) }
      return .raw(Array(answers[numbers[0]].prefix(numbers[1])))
    }
    defer { server.stop() }
    for (number, answer) in answers.enumerated() {
      #expect(try await server.verdict("/\(number)-\(answer.count)") == "up")
      // libcurl takes a chunked answer for whole without its very last byte, which says nothing.
      for count in 0..<answer.count - (number == 1 ? 1 : 0) {
        let verdict = try await server.verdict("/\(number)-\(count)")
        #expect(
          ["empty answer", "the answer was cut short", "answer is not HTTP"].contains(verdict),
          "\(verdict) after \(count) bytes of answer \(number)")
      }
    }
  }

  @Test("A server that asks for a password is down at once, and not when its time is over")
  func challenge() async throws {
    let server = try HostileServer([
      "/": "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n"
    ])
    defer { server.stop() }
    #expect(try await server.verdict() == "status 401")
  }

  @Test("5,000 answers with random changes are up, or down for a reason of pulse's own")
  func mutated() async throws {
    let server = try HostileServer { path in
      guard let number = UInt64(path.dropFirst()) else { return .raw(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)) }
      return .raw(MutatedAnswer(number).bytes)
    }
    defer { server.stop() }
    var counts: [String: Int] = [:]
    for number in 0..<5000 {
      let verdict = try await server.verdict("/\(number)")
      #expect(HostileServer.isKnown(verdict), "answer \(number): \(verdict)")
      counts[verdict, default: 0] += 1
    }
    // The changes leave some answers whole and break others in every way.
    #expect(counts["up", default: 0] > 500 && counts.count >= 6, "\(counts)")
    #expect(try await server.verdict("/up") == "up")
  }

  /// A gzip stream of fixed Huffman codes: a zero, and `blocks` times eight repetitions of 258 zeros, 13 bytes each.
  private static func bomb(blocks: Int) -> [UInt8] {
    var bits: [UInt8] = [1, 1, 0]  // The last block, with fixed codes.
    bits += [0, 0, 1, 1, 0, 0, 0, 0]  // The literal 0.
    for _ in 0..<blocks * 8 { bits += [1, 1, 0, 0, 0, 1, 0, 1] + [0, 0, 0, 0, 0] }  // 258 bytes from 1 byte before.
    bits += Array(repeating: 0, count: 7 + (8 - (bits.count + 7) % 8) % 8)  // The end of the block.
    let bytes = stride(from: 0, to: bits.count, by: 8).map { start in
      bits[start..<start + 8].enumerated().reduce(UInt8(0)) { $0 | $1.element << UInt8($1.offset) }
    }
    return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + bytes + Array(repeating: 0, count: 8)
  }
}

/// An answer that a seed has changed in up to four places.
private struct MutatedAnswer {
  let bytes: [UInt8]

  private static let originals = [
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: T\r\n\r\n2\r\nok\r\n0\r\nT: t\r\n\r\n",
    "HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\nSet-Cookie: a=b; Path=/\r\n\r\n",
    "HTTP/1.0 401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"x\", nonce=\"y\"\r\nConnection: close\r\n\r\nno",
    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: gzip, chunked\r\n\r\n1\r\n\u{1F}\r\n0\r\n\r\n",
  ].map { Array($0.utf8) }

  private static let pieces = [
    "\r\n", "\n", "\0", ":", "HTTP/1.1 ", "9223372036854775808", "-", " ", "\r\n\r\n", "%", "Location: //", "chunked",
  ].map { Array($0.utf8) }

  init(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var bytes = Self.originals.randomElement(using: &random)!
    for _ in 0..<Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
      let place = bytes.indices.randomElement(using: &random)!
      switch Int.random(in: 0..<5, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...8, using: &random)))
      case 3: bytes.insert(contentsOf: Self.pieces.randomElement(using: &random)!, at: place)
      default: bytes.removeSubrange(place...)
      }
    }
    self.bytes = bytes
  }
}
