import Foundation

/// The number of descriptors that the process may have open.
///
/// libdispatch, which runs tasks on Linux, ends the process when it cannot open a file, so connections leave it the last descriptors.
enum FileLimit {
  /// The number of descriptors that connections leave to the rest of the process.
  static let reserve = 32

  #if canImport(Glibc)
    private static let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    private static let files = RLIMIT_NOFILE
  #endif

  /// The limit as it is now; nil if the system does not say.
  static var current: Int? {
    var limit = rlimit()
    return getrlimit(files, &limit) == 0 ? Int(clamping: limit.rlim_cur) : nil
  }
}
