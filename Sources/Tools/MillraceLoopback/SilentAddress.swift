import Foundation

/// A port of 127.0.0.2 that drops the packets of each client, as a firewall may: its queue of connections is full, and no one takes them.
///
/// Linux has all addresses of 127.0.0.0/8, and drops packets then.
public final class SilentAddress: Sendable {
  /// The text of the address.
  public static let text = "127.0.0.2"

  private let descriptors: [Int32]

  /// - Throws: an error whose description says why, when the system gives no socket or the port is taken.
  public init(port: UInt16) throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr(Self.text)
    #if canImport(Glibc)
      let type = Int32(SOCK_STREAM.rawValue)
    #else
      let type = SOCK_STREAM
    #endif
    // One connection fits into the shortest queue; the others are not answered any more.
    let descriptors = (0..<4).map { _ in socket(AF_INET, type, 0) }
    let isFull = withUnsafeMutableBytes(of: &address) { raw in
      raw.withMemoryRebound(to: sockaddr.self) { pointer in
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        guard bind(descriptors[0], pointer.baseAddress!, size) == 0, listen(descriptors[0], 0) == 0 else {
          return false
        }
        for descriptor in descriptors.dropFirst() {
          LoopbackSocket.setNonblocking(descriptor)
          _ = systemConnect(descriptor, pointer.baseAddress!, size)
        }
        return true
      }
    }
    guard isFull else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRINUSE) }
    self.descriptors = descriptors
  }

  deinit {
    for descriptor in descriptors { close(descriptor) }
  }
}

/// connect(2), in a scope of its own.
private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 {
  connect(descriptor, address, size)
}
