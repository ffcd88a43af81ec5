#if Inspector
  import Foundation
  import Millrace
  import MillraceSocketClient
  import MillraceTesting
  import Testing

  @testable import MillraceInspector

  @Suite("Inspector", .timeLimit(.minutes(1)))
  struct InspectorTests {
    private let gate = Gate()

    private func store() -> Store<Orders> { Store(initial: [], interactor: Orders(gate: gate)) }

    private func inspector(_ change: (inout InspectorOptions) -> Void = { _ in }) throws -> Inspector {
      var options = InspectorOptions()
      change(&options)
      let inspector = try Inspector(port: 0, options: options)
      inspector.show(store(), as: "orders")
      return inspector
    }

    private func connect(_ inspector: Inspector) throws -> LineClient {
      let port = try #require(inspector.port)
      return try #require(LineClient(port: UInt16(port)))
    }

    private func ask(
      _ inspector: Inspector, _ path: String, method: String = "GET", _ headers: String = ""
    ) async throws -> (head: String, body: String) {
      try await answer(
        to: "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(headers)Connection: close\r\n\r\n", inspector)
    }

    private func answer(to text: String, _ inspector: Inspector) async throws -> (head: String, body: String) {
      let client = try connect(inspector)
      client.send(text)
      let parts = await client.rest().split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
      return (parts.first.map(String.init) ?? "", parts.count > 1 ? String(parts[1]) : "")
    }

    @Test("Each page is served with its status and its type, HEAD without the body, and the query is decoded")
    func pages() async throws {
      let inspector = try inspector()
      inspector.addCheck("a b&c") {}
      for path in ["/livez", "/readyz", "/startupz"] {
        let (head, body) = try await ask(inspector, path)
        #expect(head.hasPrefix("HTTP/1.1 200 ") && body == "ok\n", "\(path): \(head)")
      }
      let metrics = try await ask(inspector, "/metrics")
      #expect(metrics.head.contains("Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8"))
      #expect(
        metrics.body.contains(#"millrace_actions_sent_total{store="orders"} 0"#) && metrics.body.hasSuffix("# EOF\n"))
      let runs = try await ask(inspector, "/runs?store=orders")
      #expect(runs.head.contains("Content-Type: application/json") && runs.body == "{\"runs\":[],\"unanswered\":[]}\n")
      #expect(runs.head.contains("Cache-Control: no-store") && runs.head.contains("X-Content-Type-Options: nosniff"))
      let verbose = try await ask(inspector, "/readyz?verbose&exclude=a+b%26c").body
      #expect(verbose == "[+]shutdown ok\n[+]stores ok\n[+]store-orders ok\nreadyz ok\n")
      let head = try await ask(inspector, "/livez", method: "HEAD")
      #expect(head.head.contains("Content-Length: 3") && head.body.isEmpty)
      let post = try await ask(inspector, "/runs", method: "POST", "Content-Length: 3\r\n")
      #expect(post.head.hasPrefix("HTTP/1.1 405 ") && post.head.contains("Allow: GET, HEAD"))
      #expect(try await ask(inspector, "/nothing").head.hasPrefix("HTTP/1.1 404 "))
      await inspector.close()
    }

    @Test("A connection serves several requests")
    func keepsAlive() async throws {
      let inspector = try inspector()
      let request = "GET /livez HTTP/1.1\r\nHost: localhost\r\n"
      let (head, body) = try await answer(to: "\(request)\r\n\(request)Connection: close\r\n\r\n", inspector)
      #expect(head.hasPrefix("HTTP/1.1 200 ") && body.hasPrefix("ok\nHTTP/1.1 200 ") && body.hasSuffix("ok\n"))
      await inspector.close()
    }

    @Test("Readiness fails once a shutdown begins, before the delay and before any store is shut down")
    func shutdown() async throws {
      let clock = TestClock()
      let inspector = try inspector { $0.clock = clock }
      #expect(try await ask(inspector, "/readyz").head.hasPrefix("HTTP/1.1 200 "))
      async let began: Void = inspector.beginShutdown(delay: .seconds(5))
      try await clock.waitForSleepers()
      #expect(try await ask(inspector, "/readyz").head.hasPrefix("HTTP/1.1 503 "))
      #expect(try await ask(inspector, "/livez").head.hasPrefix("HTTP/1.1 200 "))
      clock.advance(by: .seconds(5))
      await began
      await inspector.close()
    }

    @Test("Closing answers an open request with 503, frees the port, and may be done twice")
    func close() async throws {
      let inspector = try inspector()
      let gate = Gate()
      inspector.addCheck("slow") { try await gate.enter() }
      async let answer = ask(inspector, "/readyz")
      try await gate.waitForArrivals(1)
      await inspector.close()
      await inspector.close()
      let (head, body) = try await answer
      #expect(head.hasPrefix("HTTP/1.1 503 ") && body == "The inspector is closed.\n")
      let port = try #require(inspector.port)
      #expect(LineClient(port: UInt16(port)) == nil)
      let second = try Inspector(port: port)
      await second.close()
    }

    @Test("A port in use, a port that is none and an address that is none are errors with the fix")
    func ports() async throws {
      let inspector = try inspector()
      let port = try #require(inspector.port)
      func failure(_ port: Int, _ host: String = "127.0.0.1") -> String? {
        do {
          _ = try Inspector(port: port, host: host)
          return nil
        } catch {
          return error.description
        }
      }
      #expect(
        failure(port)
          == "The inspector cannot listen on port \(port) of 127.0.0.1: Address already in use; give another one, or stop its owner."
      )
      #expect(failure(65_536) == "65536 is no port; give one from 1 to 65535, or 0 for any that is free.")
      #expect(failure(-1)?.hasPrefix("-1 is no port") == true)
      #expect(failure(0, "shop")?.hasPrefix("'shop' is no address") == true)
      await inspector.close()
    }

    @Test("A client that does not finish its request makes room for others, however many there are")
    func idleConnections() async throws {
      let inspector = try inspector { $0.connections = 8 }
      let idle = try (0..<200).map { _ in try connect(inspector) }
      for client in idle.suffix(4) { client.send("GET /livez HTTP/1.1\r\nHost: loc") }
      #expect(try await ask(inspector, "/livez").head.hasPrefix("HTTP/1.1 200 "))
      for client in idle.prefix(190) { #expect(await client.rest().isEmpty) }
      await inspector.close()
    }

    @Test("A client that sends its request byte by byte is disconnected after the limit")
    func slowClient() async throws {
      let inspector = try inspector { $0.answerLimit = .milliseconds(10) }
      let client = try connect(inspector)
      client.send("GET /livez HTTP/1.1\r\n")
      #expect(await client.rest().isEmpty)
      await inspector.close()
    }

    @Test("An answer that does not come in time is 503, and the late one is dropped")
    func hangingAnswer() async throws {
      let gate = Gate()
      let socket = try ListeningSocket(.port(0, host: "127.0.0.1"))
      let server = try HTTPServer(socket, InspectorOptions(), Hanging(gate: gate))
      let port = try #require(socket.port)
      let client = try #require(LineClient(port: UInt16(port)))
      client.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      let answer = await client.rest()
      #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.hasSuffix("The service did not answer in time.\n"))
      gate.open()
      await server.stop()
    }

    private struct Hanging: InspectorAnswers {
      let gate: Gate

      func refusal(of request: InspectorRequest) -> InspectorResponse? { nil }
      func limit(of request: InspectorRequest) -> Duration { .milliseconds(20) }

      func answer(_ request: InspectorRequest) async -> InspectorResponse {
        await gate.enterIgnoringCancellation()
        return InspectorResponse(200, "late")
      }
    }

    @Test("A check that hangs and ignores its cancellation keeps 64 tasks, and no more however often it is asked")
    func hangingCheck() async throws {
      let inspector = try inspector { $0.checkLimit = .milliseconds(1) }
      let (gate, calls) = (Gate(), Recorder<Int>())
      inspector.addCheck("bank") {
        calls.record(1)
        await gate.enterIgnoringCancellation()
      }
      for _ in 1...64 {
        #expect(try await ask(inspector, "/readyz").body.contains("[-]bank: no answer within "))
        _ = try await calls.next()
      }
      for _ in 1...3 {
        #expect(
          try await ask(inspector, "/readyz").body.contains("[-]bank: 64 earlier calls of it have not returned\n"))
      }
      #expect(calls.recorded.count == 64)
      gate.open()
      await inspector.close()
    }

    @Test("Heads that are too large, no HTTP or cut off are refused or closed, and the next client is served")
    func badRequests() async throws {
      let inspector = try inspector { $0.answerLimit = .seconds(1) }
      let long = String(repeating: "x", count: 40_000)
      for text in [
        "GET /\(long) HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nX: \(long)\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}", "\r\n\r\n\r\n", "GET\r\n\r\n",
        "GET / HTTP/1.1\r\nHost\r\n\r\n",
      ] {
        let client = try connect(inspector)
        client.send(text)
        client.finishSending()
        #expect(!(await client.rest()).hasPrefix("HTTP/1.1 200 "), "\(text.prefix(40))")
      }
      #expect(try await ask(inspector, "/livez").body == "ok\n")
      await inspector.close()
    }

    @Test("A Unix socket is open to the user only, replaces that of an ended process, and no other file")
    func unixSocket() async throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "inspector-\(UUID().uuidString.prefix(8))")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let path = folder.appending(path: "socket").path
      let inspector = try Inspector(socket: path)
      #expect(inspector.port == nil)
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      let client = try #require(LineClient(path: path))
      client.send("GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      #expect(await client.rest().hasSuffix("ok\n"))
      #expect(throws: InspectorError.self) { try Inspector(socket: path) }
      await inspector.close()
      #expect(!FileManager.default.fileExists(atPath: path))
      // The socket of a process that was killed.
      let left = try ListeningSocket(.unixSocket(path))
      Foundation.close(left.descriptor)
      await (try Inspector(socket: path)).close()
      try Data().write(to: URL(filePath: path))
      do {
        _ = try Inspector(socket: path)
        Issue.record("a file was replaced")
      } catch {
        #expect(error.description == "'\(path)' is a file, and no socket; give another path.")
      }
      #expect(throws: InspectorError.self) { try Inspector(socket: String(repeating: "x", count: 108)) }
    }
  }
#endif
