import Foundation
import Testing

/// A Unix socket that keeps datagrams until they are read, as systemd has one for the messages of a service.
package final class DatagramListener: Sendable {
  private let descriptor: Int32

  /// The path of the socket, or its abstract name behind `@`.
  package let name: String

  package init(isAbstract: Bool) throws {
    let unique = "millrace-\(UUID().uuidString.prefix(8))"
    name = isAbstract ? "@" + unique : FileManager.default.temporaryDirectory.appending(path: unique).path
    #if canImport(Glibc)
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    #else
      descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
    #endif
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      bytes.copyBytes(from: name.utf8)
      if isAbstract { bytes[0] = 0 }
    }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count)
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
    }
    try #require(isBound)
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit {
    close(descriptor)
    if !name.hasPrefix("@") { unlink(name) }
  }

  /// The next datagram that has come; nil if none has.
  package func waiting() -> String? { receive(Int32(MSG_DONTWAIT)) }

  /// The next datagram, which is waited for on a thread of its own; nil if none comes within a minute.
  package func next() async -> String? { await onThread { [self] in receive(0) } }

  private func receive(_ flags: Int32) -> String? {
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = recv(descriptor, &bytes, bytes.count, flags)
    return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
  }
}
