/// Reads the texts that the kernel writes under `/proc`; see proc(5).
enum ProcText {
  /// Reads `/proc/stat`, whose first line holds the ticks of all processors together.
  static func cpuTicks(_ stat: String) throws(ProcTextError) -> CPUTicks {
    let line = try line(of: stat, named: "cpu", in: "/proc/stat")
    // user nice system idle iowait irq softirq steal; the two behind them, guest and guest_nice, are in user and nice.
    let ticks = line.prefix(8).compactMap { UInt64($0) }
    guard ticks.count >= 4, ticks.count == min(line.count, 8) else {
      throw ProcTextError(file: "/proc/stat", problem: "its cpu line is not made of at least 4 numbers")
    }
    let total = ticks.reduce(0, &+)
    let idle = ticks[3] &+ (ticks.count > 4 ? ticks[4] : 0)
    return CPUTicks(busy: total &- idle, total: total)
  }

  /// Reads `/proc/loadavg`.
  static func loadAverage(_ loadavg: String) throws(ProcTextError) -> LoadAverage {
    let averages = loadavg.split(whereSeparator: \.isWhitespace).prefix(3).compactMap { Double($0) }
    guard averages.count == 3, averages.allSatisfy((0...Double.largestNumber).contains) else {
      throw ProcTextError(file: "/proc/loadavg", problem: "it does not begin with 3 numbers")
    }
    return LoadAverage(oneMinute: averages[0], fiveMinutes: averages[1], fifteenMinutes: averages[2])
  }

  /// Reads `/proc/meminfo`, which counts in units of 1,024 bytes.
  static func memory(_ meminfo: String) throws(ProcTextError) -> Capacity {
    func bytes(_ name: String) throws(ProcTextError) -> UInt64 {
      let line = try line(of: meminfo, named: name, in: "/proc/meminfo")
      guard let kibibytes = line.first.flatMap({ UInt64($0) }), kibibytes <= UInt64.max / 1024 else {
        throw ProcTextError(file: "/proc/meminfo", problem: "its \(name) line has no number")
      }
      return kibibytes * 1024
    }
    return Capacity(total: try bytes("MemTotal:"), available: try bytes("MemAvailable:"))
  }

  /// Reads `/proc/uptime`.
  static func uptime(_ uptime: String) throws(ProcTextError) -> Duration {
    let first = uptime.split(whereSeparator: \.isWhitespace).first
    // A thousand years are the limit: far above any machine, and far below where a `Duration` overflows.
    guard let seconds = first.flatMap({ Double($0) }), (0...3.2e10).contains(seconds) else {
      throw ProcTextError(file: "/proc/uptime", problem: "it does not begin with a number of seconds")
    }
    return .seconds(seconds)
  }

  /// The words behind the name of a line.
  private static func line(
    of text: String, named name: String, in file: String
  ) throws(ProcTextError) -> ArraySlice<Substring> {
    for line in text.split(separator: "\n") {
      let words = line.split(whereSeparator: \.isWhitespace)
      if let first = words.first, first == name {
        return words.dropFirst()
      }
    }
    throw ProcTextError(file: file, problem: "it has no line \(name)")
  }
}

/// A text under `/proc` that is not what proc(5) says.
struct ProcTextError: Error, Equatable, CustomStringConvertible {
  let file: String
  let problem: String

  var description: String { "\(file) cannot be understood: \(problem)" }
}
