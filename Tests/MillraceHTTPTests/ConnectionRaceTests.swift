import Foundation
import Millrace
import MillraceFlags
import MillraceLoopback
import MillraceSocket
import MillraceTesting
import Testing

@testable import MillraceHTTP

@Suite("ConnectionRace: a host with several addresses", .timeLimit(.minutes(1)))
struct ConnectionRaceTests {
  /// Far beyond the time limit of the suite: no test passes because a part of it is over.
  private static let never: Duration = .seconds(36_000)

  private func request(
    _ responder: LoopbackResponder, _ addresses: [String], limit: Duration = never, body: Data? = nil
  ) throws -> TransferLoop.Request {
    let url = try #require(TransferURL("http://a.loop:\(responder.port)/"))
    return TransferLoop.Request(url: url, addresses: addresses, body: body, limit: limit)
  }

  @Test("An address that drops packets, before an address that answers, takes no time from it")
  func silent() async throws {
    let requests = Recorder<LoopbackRequest>()
    let responder = try LoopbackResponder.toRequests { request in
      requests.record(request)
      return .answer()
    }
    defer { responder.stop() }
    let silent = try SilentAddress(port: responder.port)
    let addresses = [SilentAddress.text, "::1", "127.0.0.1"]
    for body in [nil, Data("notice".utf8)] {
      let loop = TransferLoop(agent: "tests")
      #expect(try await loop.answer(to: request(responder, addresses, body: body)).status == 200)
    }
    // A request is sent once, however many addresses are tried.
    #expect(requests.recorded.map(\.body) == ["", "notice"])
    withExtendedLifetime(silent) {}
  }

  @Test("A kept connection is used again, and no address is tried for it")
  func kept() async throws {
    let responder = try LoopbackResponder { _ in .answer() }
    defer { responder.stop() }
    let loop = TransferLoop(agent: "tests")
    loop.keep(connections: 1)
    for _ in 0..<5 { #expect(try await loop.answer(to: request(responder, ["::1", "127.0.0.1"])).status == 200) }
    #expect(responder.connectionCount == 1)
  }

  @Test("Where no address answers in time, the failure names the limit; where all refuse, it is the last one's")
  func failures() async throws {
    let port = try LoopbackResponder.closedPort()
    let silent = try SilentAddress(port: port)
    let url = try #require(TransferURL("http://a.loop:\(port)/"))
    let loop = TransferLoop(agent: "tests")
    for (addresses, limit, failure) in [
      ([SilentAddress.text, SilentAddress.text], .milliseconds(300), .late(.milliseconds(300))),
      (["127.0.0.1", SilentAddress.text], .milliseconds(300), .late(.milliseconds(300))),
      (["127.0.0.1", "::1"], Self.never, .system(ECONNREFUSED)),
    ] as [([String], Duration, TransferFailure)] {
      let request = TransferLoop.Request(url: url, addresses: addresses, limit: limit)
      await #expect(throws: failure, "\(addresses)") { try await loop.answer(to: request) }
      #expect(throws: failure, "\(addresses)") {
        try ConnectionRace(addresses, port: port, limit: limit).connection()
      }
    }
    withExtendedLifetime(silent) {}
  }

  @Test("A transfer that is cancelled while it connects ends, and others continue")
  func cancelled() async throws {
    let responder = try LoopbackResponder { _ in .answer() }
    defer { responder.stop() }
    let silent = try SilentAddress(port: responder.port)
    let loop = TransferLoop(agent: "tests")
    let silentRequest = try request(responder, [SilentAddress.text, SilentAddress.text])
    let connecting = Task { try await loop.answer(to: silentRequest) }
    // Behind the other one, whose attempt has begun by then.
    #expect(try await loop.answer(to: request(responder, ["127.0.0.1", SilentAddress.text])).status == 200)
    connecting.cancel()
    await #expect(throws: CancellationError.self) { try await connecting.value }
    #expect(try await loop.answer(to: request(responder, ["127.0.0.1"])).status == 200)
    withExtendedLifetime(silent) {}
  }

  // With all descriptors in connections, libdispatch ended the process (SIGILL), because it could not open a file of /proc.
  @Test("Connections leave a reserve of descriptors; a transfer that would use it fails, and says which limit to raise")
  func reserve() async {
    await #expect(processExitsWith: .success) {
      // Its queue takes the connections, and they are never accepted.
      let listener = try Listener()
      // The process may have inherited descriptors of the test's; the numbers between them are taken too.
      let inherited = (0..<Int32(min(OpenFiles.current.limit, 1 << 16))).last { fcntl($0, F_GETFD) >= 0 } ?? 0
      while dup(listener.descriptor) < inherited {}
      let limit = Int(inherited) + Int(inherited) / 8 + 100
      var limits = rlimit(rlim_cur: rlim_t(limit), rlim_max: rlim_t(limit))
      #if canImport(Glibc)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
      #else
        setrlimit(RLIMIT_NOFILE, &limits)
      #endif
      var connections: [Int32] = []
      let error = #expect(throws: TransferFailure.self) {
        while true {
          connections.append(try ConnectionRace(["127.0.0.1"], port: listener.port, limit: Self.never).connection())
        }
      }
      #expect(error == .tooFewFiles && connections.count > 30)
      #expect(connections.allSatisfy { $0 < limit - OpenFiles.reserve })
      let url = try #require(TransferURL("http://127.0.0.1:\(listener.port)/"))
      for keepsConnections in [false, true] {
        let loop = TransferLoop(agent: "tests")
        if keepsConnections { loop.keep(connections: 1) }
        await #expect(throws: TransferFailure.tooFewFiles) {
          try await loop.answer(to: TransferLoop.Request(url: url, limit: Self.never))
        }
      }
    }
  }
}
