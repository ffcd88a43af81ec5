#if Inspector
  import Foundation

  /// A client on a thread of its own, so that it takes none of the pool that makes the answers.
  struct ScrapingClient: Sendable {
    let port: Int

    /// Reads `/metrics` over a new connection; without the end where the connection fails.
    func scrape() async -> Answer {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: answer()) }
      }
    }

    /// An answer of a server, whose bytes are not copied into a text.
    struct Answer: Sendable {
      fileprivate var bytes: [UInt8] = []

      /// Whether the answer has a status of success, and the text at its end.
      func ends(with text: String) -> Bool {
        bytes.starts(with: Array("HTTP/1.1 200 ".utf8)) && bytes.suffix(text.utf8.count).elementsEqual(text.utf8)
      }
    }

    private func answer() -> Answer {
      var (answer, place) = (Answer(), sockaddr_in())
      place.sin_family = sa_family_t(AF_INET)
      place.sin_port = UInt16(port).bigEndian
      place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
      #endif
      defer { close(descriptor) }
      let isConnected = withUnsafeBytes(of: &place) { raw in
        raw.withMemoryRebound(to: sockaddr.self) { connect(descriptor, $0.baseAddress!, socklen_t(raw.count)) == 0 }
      }
      let request = Array("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
      guard isConnected, send(descriptor, request, request.count, 0) == request.count else { return answer }
      var chunk = [UInt8](repeating: 0, count: 1 << 18)
      while case let length = recv(descriptor, &chunk, chunk.count, 0), length > 0 { answer.bytes += chunk[..<length] }
      return answer
    }
  }
#endif
