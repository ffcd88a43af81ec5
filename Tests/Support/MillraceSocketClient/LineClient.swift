import Foundation
import Synchronization
import Testing

/// A client of a server of lines, whose answers are a word and a length on one line and then the bytes.
///
/// It reads and writes on threads of its own.
package final class LineClient: Sendable {
  private let descriptor: Int32

  /// Connects to a port of the loopback interface; nil if no process listens there.
  package convenience init?(port: UInt16) {
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_port = port.bigEndian
    place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    self.init(AF_INET, place)
  }

  /// Connects to a Unix socket; nil if no process listens there.
  package convenience init?(path: String) {
    var place = sockaddr_un()
    place.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: path.utf8) }
    self.init(AF_UNIX, place)
  }

  private init?<Address>(_ family: Int32, _ place: Address) {
    #if canImport(Glibc)
      descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(family, SOCK_STREAM, 0)
    #endif
    let isConnected = withUnsafeBytes(of: place) { [descriptor] raw in
      raw.withMemoryRebound(to: sockaddr.self) {
        connect(descriptor, $0.baseAddress!, socklen_t(MemoryLayout<Address>.size)) == 0
      }
    }
    // A client that is not made is released, which closes its descriptor.
    if !isConnected { return nil }
  }

  deinit { Foundation.close(descriptor) }

  /// Sends a text, which fits into the buffer of the connection.
  package func send(_ text: String) {
    let bytes = Array(text.utf8)
    #expect(Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
  }

  /// Sends bytes as far as the server takes them: it may have disconnected.
  package func offer(_ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      sent += count
    }
  }

  /// Ends what is sent; answers are still read.
  package func finishSending() {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Sends a line and reads the answer.
  package func ask(_ line: String) async -> String? {
    send(line + "\n")
    return await answer()
  }

  /// Reads an answer, as its word and its body; nil where the connection is closed first.
  package func answer() async -> String? {
    await onThread { [self] in read() }
  }

  /// Reads until the server closes the connection.
  package func rest() async -> String {
    await onThread { [self] in
      var bytes: [UInt8] = []
      while let chunk = receive(1...4_096) { bytes += chunk }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  private func read() -> String? {
    var head: [UInt8] = []
    while head.last != UInt8(ascii: "\n") {
      guard let byte = receive(1)?.first else { return nil }
      head.append(byte)
    }
    let words = String(decoding: head.dropLast(), as: UTF8.self).split(separator: " ")
    guard words.count == 2, let count = Int(words[1]), let body = receive(count) else { return nil }
    return "\(words[0]) " + String(decoding: body, as: UTF8.self)
  }

  /// Reads exactly `count` bytes; nil where the connection is closed first.
  private func receive(_ count: Int) -> [UInt8]? { receive(count...count) }

  /// Reads a number of bytes within this range; nil where the connection is closed first.
  private func receive(_ count: ClosedRange<Int>) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < count.lowerBound {
      var chunk = [UInt8](repeating: 0, count: count.upperBound - bytes.count)
      let length = recv(descriptor, &chunk, chunk.count, 0)
      guard length > 0 else { return nil }
      bytes += chunk.prefix(length)
    }
    return bytes
  }
}

/// Runs a call that blocks on a thread of its own.
package func onThread<Value: Sendable>(_ call: @escaping @Sendable () -> Value) async -> Value {
  let order = ThreadOrder()
  let value = await withCheckedContinuation { continuation in
    Thread.detachNewThread {
      let value = call()
      order.hasReturned.store(true, ordering: .releasing)
      continuation.resume(returning: value)
    }
  }
  precondition(order.hasReturned.load(ordering: .acquiring))
  return value
}

/// The order of two threads, for ThreadSanitizer, which does not see that of a continuation that is resumed before its task suspends.
private final class ThreadOrder: Sendable {
  let hasReturned = Atomic(false)
}
