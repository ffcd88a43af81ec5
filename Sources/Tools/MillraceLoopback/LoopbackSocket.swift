import Foundation

/// The socket calls of the responder.
enum LoopbackSocket {
  /// Closes a connection so that its peer sees a reset: what is unsent is dropped.
  static func reset(_ descriptor: Int32) {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    close(descriptor)
  }

  /// Sets a connection to return from calls that would wait.
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

/// send(2), whose name is that of a method above.
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
  send(descriptor, bytes, count, flags)
}
