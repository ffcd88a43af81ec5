import Foundation

/// A port of the loopback interface that clients connect to.
package struct Listener: Sendable {
  package let descriptor: Int32
  package let port: UInt16

  /// - Parameter port: the port; 0 is any that is free.
  /// - Throws: ``ListenError``, where the port cannot be listened on.
  package init(port: UInt16 = 0) throws(ListenError) {
    #if canImport(Glibc)
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutableBytes(of: &address) { [descriptor] raw in
      raw.withMemoryRebound(to: sockaddr.self) { pointer in
        bind(descriptor, pointer.baseAddress!, size) == 0 && listen(descriptor, 128) == 0
          && getsockname(descriptor, pointer.baseAddress!, &size) == 0
      }
    }
    guard isListening else {
      let error = ListenError(description: String(cString: strerror(errno)))
      systemClose(descriptor)
      throw error
    }
    self.port = UInt16(bigEndian: address.sin_port)
  }

  /// Waits for a client; nil after ``stop()``.
  package func accept() -> Int32? {
    while true {
      let client = systemAccept(descriptor)
      if client >= 0 { return client }
      switch errno {
      case EINTR, ECONNABORTED: continue
      // Where the process may open no more files, a rest keeps the processor free.
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: poll(nil, 0, 50)
      default: return nil
      }
    }
  }

  /// Ends the wait for clients.
  package func stop() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  package func close() {
    systemClose(descriptor)
  }
}

/// The reason why a port cannot be listened on, in the system's words.
package struct ListenError: Error, CustomStringConvertible {
  package let description: String
}

// accept(2) and close(2), whose names are those of methods above.
private func systemAccept(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }
private func systemClose(_ descriptor: Int32) { _ = close(descriptor) }
