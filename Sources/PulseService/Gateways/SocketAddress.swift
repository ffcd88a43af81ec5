#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An address that a stream socket can connect to, as the resolver gave it.
struct SocketAddress: Sendable {
  let family: Int32
  let type: Int32
  private let bytes: [UInt8]

  /// Asks the resolver for the addresses of a host, in the order they should be tried; this may block for seconds.
  ///
  /// - Throws: ``GatewayFailure``, when the host is not known.
  static func resolve(host: String, port: UInt16) throws(GatewayFailure) -> [SocketAddress] {
    var hints = addrinfo()
    #if canImport(Glibc)
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
      hints.ai_socktype = Int32(SOCK_STREAM)
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    let failure = getaddrinfo(host, String(port), &hints, &list)
    guard failure == 0, let first = list else {
      throw GatewayFailure("host not found")
    }
    defer { freeaddrinfo(first) }
    return sequence(first: first, next: { $0.pointee.ai_next }).compactMap { node in
      guard let address = node.pointee.ai_addr else { return nil }
      let raw = UnsafeRawBufferPointer(start: address, count: Int(node.pointee.ai_addrlen))
      return SocketAddress(family: node.pointee.ai_family, type: node.pointee.ai_socktype, bytes: Array(raw))
    }
  }

  /// Lends the address in the form the system's calls take.
  func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    bytes.withUnsafeBytes { raw in
      raw.withMemoryRebound(to: sockaddr.self) { addresses in
        body(addresses.baseAddress!, socklen_t(raw.count))
      }
    }
  }
}
