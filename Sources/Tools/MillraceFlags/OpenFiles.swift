#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The number of files, connections included, that this process may have open at the same time, and the share of connections in it.
///
/// libdispatch, which runs the tasks on Linux, ends the process (SIGILL) when it cannot open a file of /proc. So connections never take
/// the last descriptors. The system gives the lowest number that is free: a connection that closes a descriptor not below
/// ``connections`` at once leaves all numbers from there on to the rest of the process, without a count of what is open.
package struct OpenFiles: Sendable, Equatable {
  /// The number of descriptors that connections and look-ups leave to the runtime, and to files.
  package static let reserve = 32

  /// The number of descriptors below ``connections`` that a program has open by itself: standard streams, the runtime's, a listener, a
  /// recording, and a connection about which it has not decided yet.
  package static let own = 16

  /// The lowest limit with which a program that has connections can work.
  package static let least = reserve + own + 8

  /// The most that may be open.
  package var limit: Int

  package init(limit: Int) {
    self.limit = limit
  }

  /// The most names that are looked up at the same time, each of which takes a descriptor.
  package var lookUps: Int { min(544, max(4, limit / 16)) }

  /// The number below which the descriptors of connections are.
  package var connections: Int { max(0, limit - Self.reserve - lookUps) }

  /// The lowest limit with which ``connections`` is at least `count`.
  package static func limit(connections count: Int) -> Int {
    var files = OpenFiles(limit: count + reserve)
    while files.connections < count { files.limit += 1 }
    return files.limit
  }

  /// The limit of this process as it is.
  package static var current: OpenFiles { OpenFiles(limit: limits.map { Int(clamping: $0.rlim_cur) } ?? .max) }

  /// Raises the limit as far as the system allows.
  ///
  /// The limit of many systems is 1,024 so that programs of old, which count files by bits, are not surprised.
  ///
  /// - Throws: `FlagError` for a limit with which the command cannot work.
  package static func raised(for command: String) throws(FlagError) -> OpenFiles {
    if var limits, limits.rlim_cur < limits.rlim_max {
      limits.rlim_cur = limits.rlim_max
      setrlimit(resource, &limits)
    }
    let files = current
    guard files.limit >= least else {
      throw FlagError(
        "\(command) may open \(files.limit) files and needs at least \(least); raise the limit (ulimit -n \(least)).")
    }
    return files
  }

  #if canImport(Glibc)
    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
  #else
    private static var resource: Int32 { RLIMIT_NOFILE }
  #endif

  /// The soft and the hard limit; nil when the system does not say.
  private static var limits: rlimit? {
    var limits = rlimit()
    return getrlimit(resource, &limits) == 0 ? limits : nil
  }
}
