import Foundation

/// The megabytes of this process that are in memory now.
func residentMegabytes() -> Int {
  guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
  let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  return pages * Int(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576
}

/// The most megabytes that this process has had in memory.
func peakMegabytes() -> Int {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
  return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) / 1_024
}

/// The most megabytes that a million-sized test may grow by.
///
/// There is no limit under sanitizers, which keep freed memory.
var memoryLimit: Int {
  #if SANITIZE_THREAD
    .max
  #else
    dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil ? .max : 64
  #endif
}
