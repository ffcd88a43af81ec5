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
struct DescriptorOutput: TextOutput {
  let descriptor: Int32

  static let standard = DescriptorOutput(descriptor: STDOUT_FILENO)

  /// Written on a thread of its own: a reader that has stopped reading holds up a pipe for as long as it likes.
  func write(_ text: String) async throws {
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
