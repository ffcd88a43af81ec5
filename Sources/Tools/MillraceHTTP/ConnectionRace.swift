import MillraceFlags

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Connections to the addresses of a host that are attempted side by side until one is made; the others are closed then.
///
/// The limit is that of all attempts together. It belongs to one thread.
package final class ConnectionRace {
  private let addresses: [SocketAddress]
  private let limit: Duration
  private let end: ContinuousClock.Instant
  private var schedule: AddressSchedule
  /// The attempts under way.
  package private(set) var descriptors: [Int32] = []
  private var failure = TransferFailure.unknownHost

  /// - Parameters:
  ///   - addresses: texts of addresses, in the order of the resolver.
  ///   - limit: the longest that it takes, which a failure names.
  ///   - end: the time at which it fails, when some of the limit has passed before; nil is the limit from now on.
  /// - Throws: ``TransferFailure``, when a text is no address.
  package init(
    _ addresses: [String], port: UInt16, limit: Duration, until end: ContinuousClock.Instant? = nil
  ) throws(TransferFailure) {
    let now = ContinuousClock.now
    var read: [SocketAddress] = []
    for address in addresses { read.append(try .numeric(address, port: port)) }
    self.addresses = AddressSchedule.interleaved(read, by: \.family)
    self.limit = limit
    self.end = end ?? now + limit
    schedule = AddressSchedule(count: read.count, at: now)
  }

  deinit {
    for descriptor in descriptors { close(descriptor) }
  }

  /// The time at which there is something to do, whatever becomes of the attempts under way.
  package var due: ContinuousClock.Instant { schedule.nextStart.map { min($0, end) } ?? end }

  /// Does what can be done without waiting, and returns the connection once it is made, which is the caller's to close.
  ///
  /// - Throws: ``TransferFailure`` of the last attempt when all have failed, or when the limit is reached.
  package func advance(at now: ContinuousClock.Instant = .now) throws(TransferFailure) -> Int32? {
    if let connection = settled(at: now) { return connection }
    guard now < end else { throw .late(limit) }
    while let index = schedule.start(at: now) {
      do throws(TransferFailure) {
        let (descriptor, isConnected) = try Self.attempt(addresses[index])
        if isConnected { return descriptor }
        descriptors.append(descriptor)
      } catch {
        fail(error, at: now)
      }
    }
    guard !descriptors.isEmpty || schedule.nextStart != nil else { throw failure }
    return nil
  }

  /// Blocks until a connection is made, and returns it.
  ///
  /// - Throws: ``TransferFailure``, as ``advance(at:)``.
  package func connection() throws(TransferFailure) -> Int32 {
    while true {
      if let connection = try advance() { return connection }
      var requests = descriptors.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
      poll(&requests, nfds_t(requests.count), ContinuousClock.now.milliseconds(until: due))
    }
  }

  /// Removes the attempts that have ended; returns the first of them that has become a connection.
  private func settled(at now: ContinuousClock.Instant) -> Int32? {
    var requests = descriptors.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
    guard poll(&requests, nfds_t(requests.count), 0) > 0 else { return nil }
    for request in requests where request.revents != 0 {
      descriptors.removeAll { $0 == request.fd }
      var error: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      if getsockopt(request.fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0 { error = errno }
      guard error != 0 else { return request.fd }
      close(request.fd)
      fail(.system(error), at: now)
    }
    return nil
  }

  private func fail(_ failure: TransferFailure, at now: ContinuousClock.Instant) {
    self.failure = failure
    schedule.fail(at: now)
  }

  /// Begins to connect; a connection to this machine may be made at once.
  private static func attempt(
    _ address: SocketAddress
  ) throws(TransferFailure) -> (descriptor: Int32, isConnected: Bool) {
    let descriptor = socket(address.family, address.type, 0)
    guard descriptor >= 0 else { throw .system(errno) }
    guard descriptor < OpenFiles.current.connections else {
      close(descriptor)
      throw .tooFewFiles
    }
    var failure: Int32 = 0
    if fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0,
      fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
      address.withPointer({ connect(descriptor, $0, $1) }) == 0
    {
      return (descriptor, true)
    }
    failure = errno
    guard failure == EINPROGRESS else {
      close(descriptor)
      throw .system(failure)
    }
    return (descriptor, false)
  }
}

extension ContinuousClock.Instant {
  /// The milliseconds until another time, rounded up, for a wait of the system; 0 where it is over.
  func milliseconds(until other: ContinuousClock.Instant) -> Int32 {
    Int32(clamping: Int64(max(0, (duration(to: other) / .milliseconds(1)).rounded(.up))))
  }
}
