import Foundation

/// The place where clients find an inspector.
enum InspectorAddress: Sendable {
  case port(Int, host: String)
  case unixSocket(String)
}

/// A socket that listens for clients.
struct ListeningSocket: Sendable {
  let descriptor: Int32
  /// The port; nil for a Unix socket.
  let port: Int?
  /// The file of a Unix socket; nil for a port.
  private let file: SocketFile?

  private static let backlog: Int32 = 128

  /// - Throws: ``InspectorError`` with the system's reason.
  init(_ address: InspectorAddress) throws(InspectorError) {
    switch address {
    case .port(let port, let host): self = try ListeningSocket(port: port, host: host)
    case .unixSocket(let path): self = try ListeningSocket(path: path)
    }
  }

  /// Removes the file of a Unix socket, unless another process has put its own in its place.
  func removeFile() { file?.remove() }

  private init(port: Int, host: String) throws(InspectorError) {
    guard let number = UInt16(exactly: port) else {
      throw InspectorError(description: "\(port) is no port; give one from 1 to 65535, or 0 for any that is free.")
    }
    var hints = addrinfo()
    hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "\(number)", &hints, &found) == 0, let found else {
      throw InspectorError(
        description: "'\(host)' is no address; give one such as 127.0.0.1, ::1, or 0.0.0.0 for all of the machine.")
    }
    defer { freeaddrinfo(found) }
    let attempt = "listen on port \(port) of \(host)"
    descriptor = openSocket(found.pointee.ai_family)
    guard descriptor >= 0 else { throw Self.failure(attempt, closing: nil) }
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0, listen(descriptor, Self.backlog) == 0
    else {
      throw Self.failure(attempt, closing: descriptor)
    }
    self.port = Self.port(of: descriptor)
    file = nil
  }

  private init(path: String) throws(InspectorError) {
    guard var address = unixAddress(path) else {
      throw InspectorError(
        description: "The path of a Unix socket has 1 to 107 bytes, and '\(path)' has \(path.utf8.count).")
    }
    try Self.removeSocket(ofEndedProcessAt: address, path)
    descriptor = openSocket(AF_UNIX)
    port = nil
    guard descriptor >= 0 else { throw Self.failure("listen at '\(path)'", closing: nil) }
    // Before it listens, so that it never takes a client that the mode refuses.
    guard Self.call(bind, descriptor, &address) == 0, chmod(path, 0o600) == 0, listen(descriptor, Self.backlog) == 0
    else {
      throw Self.failure("listen at '\(path)'", closing: descriptor)
    }
    file = SocketFile(path)
  }

  /// Removes the socket of a process that has ended; another file stays.
  private static func removeSocket(
    ofEndedProcessAt address: sockaddr_un, _ path: String
  ) throws(InspectorError) {
    var (file, address) = (stat(), address)
    guard lstat(path, &file) == 0 else { return }
    guard file.st_mode & S_IFMT == S_IFSOCK else {
      throw InspectorError(description: "'\(path)' is a file, and no socket; give another path.")
    }
    let client = openSocket(AF_UNIX, isBlocking: false)
    guard client >= 0 else { throw failure("look who listens at '\(path)'", closing: nil) }
    let reason = call(connect, client, &address) == 0 ? 0 : errno
    close(client)
    switch reason {
    case ECONNREFUSED: unlink(path)
    case ENOENT: break
    // A process whose clients wait in a line.
    case 0, EAGAIN:
      throw InspectorError(description: "Another process listens at '\(path)'; stop it, or give another path.")
    default:
      errno = reason
      throw failure("look who listens at '\(path)'", closing: nil)
    }
  }

  private static func call(
    _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ descriptor: Int32, _ address: inout sockaddr_un
  ) -> Int32 {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  private static func port(of descriptor: Int32) -> Int? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let isKnown = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) == 0 }
    }
    guard isKnown else { return nil }
    // The port stands at the same place in an address of either family.
    return withUnsafePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { Int(UInt16(bigEndian: $0.pointee.sin_port)) }
    }
  }

  private static func failure(_ attempt: String, closing descriptor: Int32?) -> InspectorError {
    let reason = String(cString: strerror(errno))
    if let descriptor { close(descriptor) }
    return InspectorError(
      description: "The inspector cannot \(attempt): \(reason); give another one, or stop its owner.")
  }
}

/// The file that a Unix socket was bound to.
private struct SocketFile: Sendable {
  private let path: String
  private let identity: FileIdentity?

  init(_ path: String) {
    self.path = path
    identity = FileIdentity(path)
  }

  func remove() {
    if let identity, FileIdentity(path) == identity { unlink(path) }
  }
}

/// The numbers by which the system knows a file, or an open descriptor.
struct FileIdentity: Sendable, Equatable {
  private let device: UInt64
  private let number: UInt64

  init?(_ path: String) {
    var file = stat()
    guard lstat(path, &file) == 0 else { return nil }
    (device, number) = (UInt64(file.st_dev), UInt64(file.st_ino))
  }

  init?(_ descriptor: Int32) {
    var file = stat()
    guard fstat(descriptor, &file) == 0 else { return nil }
    (device, number) = (UInt64(file.st_dev), UInt64(file.st_ino))
  }
}
