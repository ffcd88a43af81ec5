import Foundation

/// The socket calls of the responder.
enum LoopbackSocket {
  /// Listens on a free port of 127.0.0.1.
  static func listen() throws -> (descriptor: Int32, port: UInt16) {
    #if canImport(Glibc)
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutableBytes(of: &address) { raw in
      raw.withMemoryRebound(to: sockaddr.self) { pointer in
        bind(descriptor, pointer.baseAddress!, size) == 0 && systemListen(descriptor, 128) == 0
          && getsockname(descriptor, pointer.baseAddress!, &size) == 0
      }
    }
    guard descriptor >= 0, isListening else { throw LoopbackError() }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  /// Closes a connection so that its peer sees a reset: what is unsent is dropped.
  static func reset(_ descriptor: Int32) {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    close(descriptor)
  }

  /// Has calls on a connection return when they would wait.
  static func setNonblocking(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  /// Sends as many of the bytes as can be sent now, and returns their number; nil when the peer has disconnected.
  static func send(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int? {
    // Without the flag, a disconnected peer would end the process by a signal.
    let sent = bytes.withUnsafeBytes { systemSend(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    if sent >= 0 { return sent }
    return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : nil
  }

  /// Reads what there is; nil when the peer has closed.
  static func receive(_ descriptor: Int32) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    return count > 0 ? Array(buffer.prefix(count)) : nil
  }
}

/// listen(2) and send(2), whose names are those of methods above.
private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
  send(descriptor, bytes, count, flags)
}
