import Foundation

/// The memory and the descriptors that this process uses.
struct ProcessReading: Sendable {
  /// Bytes in memory; nil where the system does not tell.
  var memory: Int?
  /// Open descriptors; nil where the system does not tell.
  var descriptors: Int?

  /// Reads `/proc`, which Linux has.
  static var now: ProcessReading {
    ProcessReading(memory: residentBytes, descriptors: openDescriptors)
  }

  private static var residentBytes: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .ascii) else { return nil }
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map {
      $0 * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
  }

  private static var openDescriptors: Int? {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count
  }
}
