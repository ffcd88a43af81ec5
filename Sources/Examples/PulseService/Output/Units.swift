import Foundation

/// Numbers as people read them; independent of the locale, so that lines can be taken apart by scripts.
enum Units {
  static func percent(_ number: Double?) -> String {
    number.map { String(format: "%.1f %%", $0) } ?? "-"
  }

  static func bytes(_ count: UInt64) -> String {
    var number = Double(count)
    var unit = "B"
    for larger in ["kB", "MB", "GB", "TB", "PB"] where number >= 999.5 {
      number /= 1000
      unit = larger
    }
    return String(format: number < 9.95 && unit != "B" ? "%.1f %@" : "%.0f %@", number, unit)
  }

  static func latency(_ duration: Duration) -> String {
    let milliseconds = duration / .milliseconds(1)
    return milliseconds < 1000
      ? String(format: "%.1f ms", milliseconds) : String(format: "%.2f s", milliseconds / 1000)
  }

  /// A limit: `2 s`, `0.5 s`.
  static func seconds(_ duration: Duration) -> String {
    String(format: "%g s", duration / .seconds(1))
  }

  /// The two largest units: `3 d 4 h`, `12 min 5 s`.
  static func age(_ duration: Duration) -> String {
    let seconds = duration.components.seconds
    switch seconds {
    case ..<60: return "\(seconds) s"
    case ..<3600: return "\(seconds / 60) min \(seconds % 60) s"
    case ..<86_400: return "\(seconds / 3600) h \(seconds / 60 % 60) min"
    default: return "\(seconds / 86_400) d \(seconds / 3600 % 24) h"
    }
  }

  /// The wall-clock time in UTC, to the second: `2026-01-31T12:00:00Z`.
  static func time(_ date: Date) -> String {
    date.formatted(.iso8601)
  }

  /// The number of a metric, with its unit.
  static func metric(_ metric: Metric, _ number: Double?) -> String {
    metric.isPercent ? percent(number) : number.map { String(format: "%.2f", $0) } ?? "-"
  }
}

/// A series as a line of bars, one a column.
enum Sparkline {
  /// Draws the newest numbers that fit into `width` columns, between 0 and `top`, or 0 and the largest of them.
  static func text(_ values: [Double], width: Int, top: Double? = nil, isASCII: Bool) -> String {
    let levels: [Character] = isASCII ? Array("_.:-=+*#") : Array("▁▂▃▄▅▆▇█")
    let shown = values.suffix(max(0, width))
    let top = top ?? shown.max() ?? 0
    return String(
      shown.map { value in
        guard top > 0 else { return levels[0] }
        let highest = Double(levels.count - 1)
        return levels[Int(min(max((value / top * highest).rounded(), 0), highest))]
      })
  }
}
