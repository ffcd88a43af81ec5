#if Inspector
  import Foundation
  import Millrace
  import MillraceSocketClient
  import MillraceTesting
  import Testing

  @testable import MillraceInspector

  /// Many clients at once, for ThreadSanitizer too.
  @Suite("Many clients of an inspector", .timeLimit(.minutes(1)))
  struct ManyClientsTests {
    private static let paths = ["livez", "readyz?verbose", "metrics", "runs", "startupz", "runs?store=orders-1"]

    private func connect(_ inspector: Inspector) throws -> LineClient {
      let port = try #require(inspector.port)
      return try #require(LineClient(port: UInt16(port)))
    }

    private func request(_ number: Int) -> [UInt8] {
      Array(
        "GET /\(Self.paths[number % Self.paths.count]) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
    }

    /// Asks as the number says: at once, in two parts around another client, without reading, or with half a request only.
    ///
    /// - Returns: the answer; nil for a client that disconnects before it.
    private func ask(_ inspector: Inspector, _ number: Int) async throws -> String? {
      let (client, bytes) = (try connect(inspector), request(number))
      let half = bytes.count / 2
      switch number % 5 {
      case 0:
        client.offer(bytes)
        return nil
      case 1:
        client.offer(Array(bytes[..<half]))
        return nil
      case 2:
        client.offer(Array(bytes[..<half]))
        let other = try connect(inspector)
        other.offer(request(0))
        _ = await other.rest()
        client.offer(Array(bytes[half...]))
      default: client.offer(bytes)
      }
      return await client.rest()
    }

    @Test(
      "Clients that disconnect, are slow or ask at once are served while stores are shown, hidden and end",
      arguments: [4, 64])
    func clients(connections: Int) async throws {
      var options = InspectorOptions()
      options.connections = connections
      let inspector = try Inspector(port: 0, options: options)
      let gate = Gate()
      let answers = try await withThrowingTaskGroup(of: [String].self) { group in
        for client in 0..<12 {
          group.addTask {
            var answers: [String] = []
            for number in 0..<30 {
              if let answer = try await ask(inspector, client + number * 7) { answers.append(answer) }
            }
            return answers
          }
        }
        for name in 0..<4 {
          group.addTask {
            for number in 0..<50 {
              let store = Store(initial: [], interactor: Orders(gate: gate))
              store.send(.place(number))
              inspector.opening("orders-\(name)")
              inspector.show(store, as: "orders-\(name)")
              inspector.addCheck("check-\(name)") {}
              if number.isMultiple(of: 3) { await store.shutdown(drainFor: .zero) }
              if number.isMultiple(of: 2) { inspector.hide("orders-\(name)") }
            }
            return []
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      // A connection too many may close that of a client which has not sent its request.
      let answered = answers.filter { !$0.isEmpty }
      #expect(connections < 24 ? !answered.isEmpty : answered.count == answers.count)
      for answer in answered {
        let isWhole = ["ok\n", "failed\n", "# EOF\n", "}\n", "these are: "].contains { answer.contains($0) }
        #expect(answer.hasPrefix("HTTP/1.1 ") && isWhole, "\(answer.prefix(300))")
      }
      let last = try connect(inspector)
      last.offer(request(0))
      #expect(await last.rest().hasSuffix("ok\n"))
      gate.open()
      await inspector.close()
    }
  }
#endif
