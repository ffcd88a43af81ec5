import Foundation

/// Opens a socket that the programs which this process starts do not inherit; a negative number, with `errno`, if none can be opened.
func openSocket(_ family: Int32, isStream: Bool = true, isBlocking: Bool = true) -> Int32 {
  #if canImport(Glibc)
    let type = Int32(isStream ? SOCK_STREAM.rawValue : SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    return socket(family, isBlocking ? type : type | Int32(SOCK_NONBLOCK.rawValue), 0)
  #else
    let descriptor = socket(family, isStream ? SOCK_STREAM : SOCK_DGRAM, 0)
    if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    if descriptor >= 0, !isBlocking { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
    return descriptor
  #endif
}

/// The address of a Unix socket; nil if the path is empty, too long, or has a zero byte.
func unixAddress(_ path: String) -> sockaddr_un? {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  let bytes = Array(path.utf8)
  guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path), !bytes.contains(0) else {
    return nil
  }
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
  return address
}
