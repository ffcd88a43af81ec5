#if os(Linux)
  import Foundation
  import MillraceCurlChecks
  import MillraceHTTP
  import MillraceLoopback
  import Testing

  @testable import PulseService

  @Suite("Memory of transfers", .timeLimit(.minutes(2)))
  struct TransferMemoryTests {
    @Test("2,000 probes of every kind of answer leave nothing behind: FoundationNetworking kept 60 bytes of each")
    func flat() async throws {
      await #expect(processExitsWith: .success) {
        let names = Resolver { host in host == "own.loop" ? ["127.0.0.1", "::1"] : [] }
        let gateway = LiveEndpointGateway(limit: .seconds(120), resolver: names)
        let responder = try LoopbackResponder { path in
          switch path {
          case "/moved": .raw(Array("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n".utf8))
          case "/cut": .raw(Array("HTTP/1.1 200 OK\r\nContent-Le".utf8))
          case "/reset": .reset
          default: .answer(body: String(repeating: "x", count: 2000))
          }
        }
        let closed = try LoopbackResponder.closedPort()
        let endpoints =
          try ["/", "/moved", "/cut", "/reset"].map { try Endpoint(responder.url($0)) } + [
            Endpoint("http://own.loop:\(responder.port)/"), Endpoint("http://nowhere.test/"),
            Endpoint("http://127.0.0.1:\(closed)/"), Endpoint("tcp://127.0.0.1:\(responder.port)"),
          ]
        /// Probes each endpoint so often, one after the other.
        func probe(times: Int) async {
          for _ in 0..<times {
            for endpoint in endpoints { _ = try? await gateway.probe(endpoint) }
          }
        }
        await probe(times: 50)
        let before = millrace_allocated_bytes()
        await probe(times: 250)
        let growth = millrace_allocated_bytes() - before
        responder.stop()
        // Ten bytes a probe: buffers of the allocator and the runtime come and go by more than nothing.
        #expect(growth < 20_000, "The process grew by \(growth) bytes.")
      }
    }

    @Test("Endless bodies and endless headers are not kept: 3.9 GB in five seconds were")
    func bounded() async throws {
      await #expect(processExitsWith: .success) {
        let gateway = LiveEndpointGateway(limit: .seconds(120))
        let responder = try LoopbackResponder { path in
          let ok = Array("HTTP/1.1 200 OK\r\n".utf8)
          return path == "/body"
            ? .raw(ok + Array("\r\n".utf8), then: .repeating(Array(repeating: 0x20, count: 65_536)))
            : .raw(ok, then: .repeating(Array("X-More: more\r\n".utf8)))
        }
        let body = try Endpoint(responder.url("/body"))
        let header = try Endpoint(responder.url("/header"))
        try await gateway.probe(body)
        let before = peakMegabytes()
        for _ in 0..<30 {
          try await gateway.probe(body)
          _ = try? await gateway.probe(header)
        }
        let growth = peakMegabytes() - before
        responder.stop()
        #expect(before > 0 && (growth < 16 || isSanitized), "The process grew by \(growth) MB.")
      }
    }
  }

  /// Whether the process keeps what was freed.
  private var isSanitized: Bool { dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil }

  /// The most megabytes of this process that were in memory at any time.
  private func peakMegabytes() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return (line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0) / 1024
  }
#endif
