import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Reads a whole file, which may be a pipe; this may block.
struct FileReader {
  let path: String
  /// The longest time for which to wait for a pipe's writer; nil waits without a limit.
  let limit: Duration?

  /// The size of the largest file that is read, in bytes: a device may be endless.
  static let largest = 16 << 20

  /// The reason for which a file cannot be read, as the end of a sentence that names the file.
  struct Failure: Error {
    let reason: String

    init(_ reason: String) {
      self.reason = reason
    }

    fileprivate init(_ number: Int32) {
      switch number {
      case ENOENT: reason = "does not exist"
      case EACCES: reason = "you may not read"
      default: reason = "cannot be read"
      }
    }
  }

  /// Reads the file to its end.
  ///
  /// - Throws: ``Failure``.
  func contents() throws(Failure) -> Data {
    let start = ContinuousClock.now
    // A pipe without a writer would block open(2), and read(2) would take it for one that has ended.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(errno) }
    defer { close(descriptor) }
    var data = Data()
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      try waitUntilReadable(descriptor, since: start)
      let count = read(descriptor, &chunk, chunk.count)
      if count == 0 { return data }
      if count < 0 {
        if errno == EINTR || errno == EAGAIN { continue }
        throw Failure(errno)
      }
      data.append(contentsOf: chunk[..<count])
      guard data.count <= Self.largest else { throw Failure("has more than \(Units.bytes(UInt64(Self.largest)))") }
    }
  }

  private func waitUntilReadable(_ descriptor: Int32, since start: ContinuousClock.Instant) throws(Failure) {
    while true {
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let rest = limit.map { $0 - start.duration(to: .now) }
      let milliseconds = rest.map { Int32(clamping: Int64(max(0, $0 / .milliseconds(1)).rounded(.up))) } ?? -1
      let ready = poll(&request, 1, milliseconds)
      if ready > 0 { return }
      if ready == 0 { throw Failure("was not written to its end within \(Units.seconds(limit ?? .zero))") }
      guard errno == EINTR else { throw Failure(errno) }
    }
  }
}
