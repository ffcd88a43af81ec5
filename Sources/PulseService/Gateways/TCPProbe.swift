import MillraceHTTP

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Asks a TCP port whether it takes connections.
struct TCPProbe: Sendable {
  /// The longest one address is tried.
  let limit: Duration
  /// Looks up the names of hosts.
  let resolver: Resolver

  /// Connects to the first address of the host that answers, and closes the connection again.
  ///
  /// - Throws: ``GatewayFailure`` of the last address when none answers; `CancellationError`.
  func connect(host: String, port: UInt16) async throws {
    let addresses = try await resolver.addresses(of: host)
    let limit = limit
    try await blockingCall {
      var failure = GatewayFailure("the host has no address")
      for address in addresses {
        do throws(GatewayFailure) {
          let address = try GatewayFailure.rethrowing { () throws(TransferFailure) in
            try SocketAddress.numeric(address, port: port)
          }
          return try Self.connect(to: address, limit: limit)
        } catch {
          failure = error
        }
      }
      throw failure
    }
  }

  private static func connect(to address: SocketAddress, limit: Duration) throws(GatewayFailure) {
    let descriptor = socket(address.family, address.type, 0)
    guard descriptor >= 0 else { throw .system(errno) }
    defer { close(descriptor) }
    guard fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0 else { throw .system(errno) }
    let result = address.withPointer { Platform.connect(descriptor, $0, $1) }
    if result == 0 { return }
    guard errno == EINPROGRESS else { throw .system(errno) }
    try waitUntilSettled(descriptor, limit: limit)
    var failure: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size) == 0 else { throw .system(errno) }
    guard failure == 0 else { throw .system(failure) }
  }

  /// Waits until the connection is made or refused.
  private static func waitUntilSettled(_ descriptor: Int32, limit: Duration) throws(GatewayFailure) {
    let start = ContinuousClock.now
    while true {
      let rest = limit - start.duration(to: .now)
      guard rest > .zero else { throw GatewayFailure("no answer to the connection") }
      var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let ready = poll(&request, 1, Int32(clamping: Int64((rest / .milliseconds(1)).rounded(.up))))
      if ready > 0 { return }
      guard ready == 0 || errno == EINTR else { throw .system(errno) }
    }
  }
}

/// The system's calls whose names this file uses otherwise.
private enum Platform {
  static func connect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    #if canImport(Glibc)
      Glibc.connect(descriptor, address, length)
    #elseif canImport(Musl)
      Musl.connect(descriptor, address, length)
    #else
      Darwin.connect(descriptor, address, length)
    #endif
  }
}
