import Foundation

/// `count` scaled by the environment variable MILLRACE_SCALE, at least 1.
func scaled(_ count: Int) -> Int {
  let scale = ProcessInfo.processInfo.environment["MILLRACE_SCALE"].flatMap(Double.init) ?? 1
  return max(1, Int(Double(count) * scale))
}
