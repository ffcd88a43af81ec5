#if canImport(Glibc)
  package import Glibc
#elseif canImport(Musl)
  package import Musl
#else
  package import Darwin
#endif

/// An address that a stream socket can connect to, as the resolver gave it.
package struct SocketAddress: Sendable {
  package let family: Int32
  package let type: Int32
  private let bytes: [UInt8]

  /// Creates the address of a port from the text of an IPv4 or IPv6 address; this never blocks.
  ///
  /// - Throws: ``TransferFailure``, when the text is no address.
  package static func numeric(_ text: String, port: UInt16) throws(TransferFailure) -> SocketAddress {
    guard let address = try find(text, port: port, flags: AI_NUMERICHOST | AI_NUMERICSERV).first else {
      throw .unknownHost
    }
    return address
  }

  /// Asks the resolver for the addresses of a host as texts, in the order they should be tried; this may block for a
  /// minute.
  ///
  /// - Throws: ``TransferFailure``, when the host is not known.
  package static func resolve(host: String) throws(TransferFailure) -> [String] {
    try find(host, port: 0, flags: AI_NUMERICSERV).compactMap(\.text)
  }

  /// Whether a text is an IPv4 or IPv6 address, which needs no look-up.
  package static func isNumeric(_ text: String) -> Bool {
    var space = in6_addr()
    return inet_pton(AF_INET, text, &space) == 1 || inet_pton(AF_INET6, text, &space) == 1
  }

  private static func find(_ host: String, port: UInt16, flags: Int32) throws(TransferFailure) -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_flags = flags
    #if canImport(Glibc)
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
      hints.ai_socktype = Int32(SOCK_STREAM)
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    let failure = getaddrinfo(host, String(port), &hints, &list)
    guard failure == 0, let first = list else {
      throw self.failure(failure, errno)
    }
    defer { freeaddrinfo(first) }
    return sequence(first: first, next: { $0.pointee.ai_next }).compactMap { node in
      guard let address = node.pointee.ai_addr else { return nil }
      let raw = UnsafeRawBufferPointer(start: address, count: Int(node.pointee.ai_addrlen))
      return SocketAddress(family: node.pointee.ai_family, type: node.pointee.ai_socktype, bytes: Array(raw))
    }
  }

  /// A few words for an error of the resolver.
  private static func failure(_ code: Int32, _ number: Int32) -> TransferFailure {
    switch code {
    case EAI_AGAIN: .silentNameServer
    case EAI_SYSTEM: .system(number)
    default: .unknownHost
    }
  }

  /// The address as text; nil when the system cannot write it.
  private var text: String? {
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let failure = withPointer { getnameinfo($0, $1, &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST) }
    guard failure == 0 else { return nil }
    return String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Lends the address in the form the system's calls take.
  package func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    bytes.withUnsafeBytes { raw in
      raw.withMemoryRebound(to: sockaddr.self) { addresses in
        body(addresses.baseAddress!, socklen_t(raw.count))
      }
    }
  }
}
