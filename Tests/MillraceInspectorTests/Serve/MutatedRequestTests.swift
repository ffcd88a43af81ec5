#if Inspector
  import Foundation
  import Millrace
  import MillraceSocketClient
  import MillraceTesting
  import Testing

  @testable import MillraceInspector

  @Suite("Mutated requests", .timeLimit(.minutes(2)))
  struct MutatedRequestTests {
    /// In a process of its own, whose descriptors no other test opens.
    @Test("10,000 mutated requests neither end nor stop the inspector, and leave no descriptor open")
    func mutated() async {
      await #expect(processExitsWith: .success) {
        // The first use opens the descriptors that the pool and libdispatch keep.
        _ = try await Self.sent(0..<64)
        let before = try Self.descriptors
        let answers = try await Self.sent(0..<10_000)
        // Beside other work the pool and libdispatch may open some more; each request that leaves one open would leave hundreds.
        let growth = try Self.descriptors - before
        #expect(growth < 10, "\(growth) descriptors stay open")
        // Mutations that reach nothing, or change nothing, would find nothing. How many of each are answered in time depends on the machine.
        let statuses = Dictionary(grouping: answers) {
          $0.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        }
        .mapValues(\.count)
        for status in ["", "200", "400", "403", "404", "405", "413", "421"] {
          #expect(statuses[status, default: 0] > 0, "\(status) is not among \(statuses)")
        }
      }
    }

    private static var descriptors: Int {
      get throws { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
    }

    /// Sends mutated requests by 32 clients at a time to an inspector, which another client asks at the end.
    ///
    /// The server waits for the rest of a request that is cut off, so the time for it is short.
    ///
    /// - Returns: the first line of each answer, or an empty text.
    private static func sent(_ numbers: Range<Int>) async throws -> [String] {
      let store = Store(initial: [], interactor: Orders(gate: Gate()))
      var options = InspectorOptions()
      options.answerLimit = .milliseconds(20)
      let inspector = try Inspector(port: 0, options: options)
      inspector.show(store, as: "orders")
      let port = UInt16(try #require(inspector.port))
      let answers = try await withThrowingTaskGroup(of: [String].self) { group in
        for client in 0..<32 {
          group.addTask {
            var answers: [String] = []
            for number in numbers where number % 32 == client {
              let request = MutatedRequest(seed: UInt64(number)).bytes
              answers.append(try await answer(to: request, port, isHalfClosed: number % 96 < 32))
            }
            return answers
          }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      // On a machine that stalls, one of them may take longer than the inspector waits.
      var next = ""
      for _ in 0..<200 where next.isEmpty {
        next = try await answer(to: Array(MutatedRequest.request("/livez").utf8), port)
      }
      #expect(next == "HTTP/1.1 200 OK")
      await inspector.close()
      return answers
    }

    /// - Parameter isHalfClosed: whether the client ends its side first, which the library takes for a disconnection before an answer.
    private static func answer(to bytes: [UInt8], _ port: UInt16, isHalfClosed: Bool = false) async throws -> String {
      let client = try #require(LineClient(port: port))
      client.offer(bytes)
      if isHalfClosed { client.finishSending() }
      let answer = await client.rest()
      #expect(answer.isEmpty || answer.hasPrefix("HTTP/1."), "\(answer.prefix(100)) is no answer of HTTP")
      return answer.prefix { $0 != "\r\n" }.description
    }
  }

  /// A valid request with up to three damages, which depend on the seed only.
  private struct MutatedRequest {
    private(set) var bytes: [UInt8]

    static func request(_ path: String, method: String = "GET", _ headers: String = "") -> String {
      "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(headers)Connection: close\r\n\r\n"
    }

    private static let valid = [
      request("/livez"), request("/livez", method: "HEAD"), request("/readyz?verbose&exclude=store-orders"),
      request("/runs?store=orders&limit=10", "Authorization: Bearer token\r\n"), request("/metrics"), request("/"),
      request("/livez", "Origin: http://localhost\r\n"), request("/livez", "Origin: http://example.org\r\n"),
      request("/livez", "Content-Length: 3\r\n"),
      request("/livez", "Transfer-Encoding: chunked\r\n") + "3\r\nabc\r\n0\r\n\r\n",
      "GET /livez HTTP/1.0\r\n\r\n", "GET /livez HTTP/1.1\r\nHost: example.org\r\n\r\n",
      request("/startupz", "Host: [::1]:8080\r\nX-Long: \(String(repeating: "a", count: 600))\r\n"),
    ].map { Array($0.utf8) }

    private static let methods = [
      "POST", "get", "CONNECT", "PRI", "G\u{0}T", "", String(repeating: "M", count: 20_000),
    ]
    .map { Array($0.utf8) }
    private static let pieces = [
      "\r\n", "\r", "\n", " ", "\u{0}", "%00", "%ff%fe", "%", "?", "&&==", "HTTP/9.9", "Host: a\r\nHost: b\r\n", ":",
      "\t", "é",
      "Content-Length: 99999999999999999999\r\n", "Content-Length: -1\r\n", "Transfer-Encoding: gzip\r\n", "../../..",
      "Expect: 100-continue\r\n", "Upgrade: h2c\r\n",
    ].map { Array($0.utf8) }

    init(seed: UInt64) {
      var random = SeededGenerator(seed: seed)
      bytes = Self.valid.randomElement(using: &random)!
      for _ in 0..<Int.random(in: 0...3, using: &random) { damage(&random) }
    }

    private mutating func damage(_ random: inout SeededGenerator) {
      guard let index = bytes.indices.randomElement(using: &random) else { return }
      let end = min(bytes.count, index + Int.random(in: 1...80, using: &random))
      switch Int.random(in: 0...7, using: &random) {
      case 0: bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
      case 1: bytes[index] = .random(in: .min ... .max, using: &random)
      case 2: bytes.removeSubrange(index...)
      case 3: bytes.removeSubrange(index..<end)
      case 4: bytes += bytes
      case 5: bytes.insert(contentsOf: Self.pieces.randomElement(using: &random)!, at: index)
      case 6:
        let size = Int.random(in: 1_000...40_000, using: &random)
        let name = Array("X: ".utf8) + [UInt8](repeating: .random(in: 32...126, using: &random), count: size)
        let line = bytes.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? index
        bytes.insert(contentsOf: name + Array("\r\n".utf8), at: line)
      default:
        let method = bytes.prefix { $0 != UInt8(ascii: " ") }
        bytes.replaceSubrange(method.indices, with: Self.methods.randomElement(using: &random)!)
      }
    }
  }
#endif
