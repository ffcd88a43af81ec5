import Millrace

/// The durations of what has a name, for a bounded number of names.
struct NamedTimes: Sendable {
  /// The number of names with a line of their own; the others share a line.
  static let capacity = 100

  private var times: [String: Histogram] = [:]
  private(set) var others = Histogram()

  mutating func record(_ nanoseconds: Int64, for name: String) {
    if times[name] == nil, times.count >= Self.capacity {
      others.record(nanoseconds: nanoseconds)
    } else {
      times[name, default: Histogram()].record(nanoseconds: nanoseconds)
    }
  }

  /// The names with their durations, sorted; those that found no room come last.
  var rows: [(name: String, times: Histogram)] {
    let rows = times.sorted { $0.key < $1.key }.map { (name: $0.key, times: $0.value) }
    return others.count == 0 ? rows : rows + [("all others", others)]
  }
}
