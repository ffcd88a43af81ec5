import Foundation
import Millrace
import MillraceLoopback
import MillraceTesting
import Testing

@testable import MillraceHTTP

@Suite("TransferLoop: connections that are kept", .timeLimit(.minutes(1)))
struct TransferLoopTests {
  private func loop(keeping connections: Int?) -> TransferLoop {
    let loop = TransferLoop(agent: "tests")
    if let connections { loop.keep(connections: connections) }
    return loop
  }

  private func request(_ responder: LoopbackResponder, _ path: String = "/") throws -> TransferLoop.Request {
    TransferLoop.Request(url: try #require(TransferURL(responder.url(path))), limit: .seconds(60))
  }

  @Test("Requests one after the other share a kept connection; without keep(connections:) each has its own")
  func reuse() async throws {
    for (connections, expected) in [(1, 1), (nil, 5)] as [(Int?, Int)] {
      let responder = try LoopbackResponder { _ in .answer() }
      defer { responder.stop() }
      let loop = loop(keeping: connections)
      for _ in 0..<5 { #expect(try await loop.answer(to: request(responder)).status == 200) }
      #expect(responder.connectionCount == expected)
    }
  }

  @Test("All connections are kept while they are idle: by default libcurl keeps four for each transfer under way")
  func cache() async throws {
    let delay = Lock(Duration.milliseconds(50))
    let responder = try LoopbackResponder { _ in .answer(after: delay.withLock { $0 }) }
    defer { responder.stop() }
    let loop = loop(keeping: 20)
    try await send(20, loop, responder)
    delay.withLock { $0 = .zero }
    for _ in 0..<20 { _ = try await loop.answer(to: request(responder)) }
    delay.withLock { $0 = .milliseconds(50) }
    try await send(20, loop, responder)
    #expect(responder.connectionCount <= 20)
  }

  @Test("Where all connections are busy, requests wait and are sent when one is free")
  func waiting() async throws {
    let responder = try LoopbackResponder { _ in .answer(after: .milliseconds(1)) }
    defer { responder.stop() }
    try await send(50, loop(keeping: 2), responder)
    #expect(responder.connectionCount <= 2)
  }

  /// Sends `count` requests at once, and waits for all answers.
  private func send(_ count: Int, _ loop: TransferLoop, _ responder: LoopbackResponder) async throws {
    let request = try request(responder)
    try await withThrowingTaskGroup { group in
      for _ in 0..<count { group.addTask { try await loop.answer(to: request) } }
      for try await answer in group { #expect(answer.status == 200) }
    }
  }

  @Test("A body is kept if the request says so, up to its limit, and is dropped otherwise")
  func body() async throws {
    let text = String(repeating: "0123456789abcdef", count: 1 << 16)
    let responder = try LoopbackResponder { path in .answer(body: path == "/empty" ? "" : text) }
    defer { responder.stop() }
    let loop = loop(keeping: nil)
    var request = try request(responder)
    #expect(try await loop.answer(to: request).body.isEmpty)
    request.keepsBody = true
    #expect(try await loop.answer(to: request).body == Data(text.utf8))
    request.bodyLimit = text.utf8.count - 1
    let cut = try await loop.answer(to: request)
    #expect(cut.isCut && Data(text.utf8).starts(with: cut.body) && cut.body.count <= request.bodyLimit)
    request.url = try #require(TransferURL(responder.url("/empty")))
    #expect(try await loop.answer(to: request).body.isEmpty)
  }

  @Test("The header of an answer has at most 64 KiB, with its first line and its last", arguments: [-1, 0, 1])
  func header(difference: Int) async throws {
    let (start, end) = ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: ", "\r\n\r\n")
    let padding = String(
      repeating: "x", count: TransferLoop.headerLimit + difference - start.utf8.count - end.utf8.count)
    let responder = try LoopbackResponder { _ in .raw(Array("\(start)\(padding)\(end)ok".utf8)) }
    defer { responder.stop() }
    let loop = loop(keeping: nil)
    if difference > 0 {
      let failure = await #expect(throws: TransferFailure.self) { try await loop.answer(to: request(responder)) }
      #expect(failure?.description == "the header of the answer is too long")
    } else {
      #expect(try await loop.answer(to: request(responder)).status == 200)
    }
  }

  @Test("A body has at most a MiB, unless the request says otherwise", arguments: [-1, 0, 1])
  func bodyLimit(difference: Int) async throws {
    let text = String(repeating: "x", count: 1 << 20 + difference)
    let responder = try LoopbackResponder { _ in .answer(body: text) }
    defer { responder.stop() }
    #expect(try await loop(keeping: nil).answer(to: request(responder)).isCut == (difference > 0))
  }

  @Test("A request that waits for a connection ends when its task is cancelled, and so does one under way")
  func cancellation() async throws {
    let arrived = Recorder<String>()
    let responder = try LoopbackResponder { path in
      arrived.record(path)
      return path == "/hang" ? .hang : .answer()
    }
    defer { responder.stop() }
    let loop = loop(keeping: 1)
    let requests = try (hang: request(responder, "/hang"), waiting: request(responder, "/waiting"))
    let underWay = Task { try await loop.answer(to: requests.hang) }
    #expect(try await arrived.next(1) == ["/hang"])
    let waiting = Task { try await loop.answer(to: requests.waiting) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    underWay.cancel()
    await #expect(throws: CancellationError.self) { try await underWay.value }
    // The connection of the cancelled request is free again: another one answers, and the one that waited was not sent.
    #expect(try await loop.answer(to: request(responder, "/next")).status == 200)
    #expect(try await arrived.next(1) == ["/next"])
    #expect(responder.connectionCount == 2)
  }

  @Test("A kept connection that the server has closed is replaced, and no request fails by it")
  func closed() async throws {
    let responder = try LoopbackResponder { _ in .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)) }
    defer { responder.stop() }
    let loop = loop(keeping: 1)
    for _ in 0..<20 { #expect(try await loop.answer(to: request(responder)).status == 200) }
    #expect(responder.connectionCount == 20)
  }

  @Test("The agent is sent as the User-Agent")
  func agent() async throws {
    let requests = Recorder<LoopbackRequest>()
    let responder = try LoopbackResponder.toRequests { request in
      requests.record(request)
      return .answer()
    }
    defer { responder.stop() }
    _ = try await loop(keeping: nil).answer(to: request(responder))
    #expect(try await requests.next(1)[0].headers["user-agent"] == "tests")
  }
}
