#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file descriptor: a terminal, a pipe or a file.
///
/// The process has to ignore `SIGPIPE`.
package struct DescriptorOutput: TextOutput {
  package let descriptor: Int32

  package init(descriptor: Int32) { self.descriptor = descriptor }

  package static let standard = DescriptorOutput(descriptor: STDOUT_FILENO)

  /// Written on a thread of its own: a reader that has stopped reading holds up a pipe for as long as it likes.
  package func write(_ text: String) async throws {
    let descriptor = descriptor
    try await blockingCall { try Self.write(Array(text.utf8), to: descriptor) }
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(OutputError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
      if written >= 0 {
        rest = rest.dropFirst(written)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN: waitUntilWritable(descriptor)
      case EPIPE: throw .closed
      default: throw .failed(String(cString: strerror(errno)))
      }
    }
  }

  /// A descriptor may be shared with a process that has made it non-blocking.
  private static func waitUntilWritable(_ descriptor: Int32) {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = poll(&request, 1, -1)
  }
}

/// write(2), whose name is that of a method above.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}

/// The output of the service.
package protocol TextOutput: Sendable {
  /// Writes the text out, past all buffers.
  ///
  /// Returns soon after its task was cancelled, with the text written in part.
  ///
  /// - Throws: ``OutputError``, when there is no use in writing more; `CancellationError`.
  func write(_ text: String) async throws
}

/// The reason for which nothing more can be written.
package enum OutputError: Error, Equatable {
  /// The output was closed, as `head` does when it has seen enough.
  case closed
  /// The system refuses for this reason.
  case failed(String)
}
