import Foundation
import MillraceFlags
import MillraceTerminal

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The machine that the service runs on.
protocol MachineGateway: Sendable {
  /// Reads all counters once.
  ///
  /// Returns soon after its task was cancelled: a caller that sets a time limit cancels, and waits for the return.
  ///
  /// - Throws: An error whose description is the reason to show, when a counter cannot be read.
  func read() async throws -> MachineReading
}

/// A reading of the kernel's counters of this machine at one instant.
struct MachineReading: Codable, Sendable, Equatable {
  /// The wall-clock time of the reading.
  var time: Date
  var cpu: CPUTicks
  var load: LoadAverage
  var memory: Capacity
  var disk: Capacity
  var uptime: Duration
}

/// The ticks that all processors together have spent since the machine started.
///
/// A single reading says little; the share of busy ticks between two readings is the load of the processors.
struct CPUTicks: Codable, Sendable, Equatable {
  var busy: UInt64
  var total: UInt64

  /// The busy share since an earlier reading in percent, or nil when no tick has passed between the two.
  func percentBusy(since earlier: CPUTicks) -> Double? {
    guard total > earlier.total else { return nil }
    // The kernel's own counters go back by a tick now and then (iowait does), so that neither end is trusted.
    let busy = busy > earlier.busy ? busy - earlier.busy : 0
    return min(100, Double(busy) / Double(total - earlier.total) * 100)
  }
}

/// The number of runnable processes, averaged over one, five and fifteen minutes.
struct LoadAverage: Codable, Sendable, Equatable {
  var oneMinute: Double
  var fiveMinutes: Double
  var fifteenMinutes: Double
}

/// The size of a resource and its free part, in bytes.
struct Capacity: Codable, Sendable, Equatable {
  var total: UInt64
  var available: UInt64

  /// The used share in percent; 0 when there is nothing at all.
  var percentUsed: Double {
    guard total > 0 else { return 0 }
    return Double(total - min(available, total)) / Double(total) * 100
  }
}

/// The machine as the Linux kernel shows it: `/proc` for processors, load, memory and uptime, statvfs(3) for the disk.
struct ProcMachineGateway: MachineGateway {
  /// The directory where the kernel's texts are.
  var proc = "/proc"
  /// A path on the disk that is watched.
  var disk = "/"

  func read() async throws -> MachineReading {
    try await blockingCall { try readNow() }
  }

  private func readNow() throws -> MachineReading {
    MachineReading(
      time: Date(),
      cpu: try ProcText.cpuTicks(text("stat")),
      load: try ProcText.loadAverage(text("loadavg")),
      memory: try ProcText.memory(text("meminfo")),
      disk: try diskCapacity(),
      uptime: try ProcText.uptime(text("uptime"))
    )
  }

  private func text(_ file: String) throws -> String {
    let path = "\(proc)/\(file)"
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw MachineFailure("\(FlagError.quoted(path)) cannot be read; this needs Linux with /proc mounted")
    }
    return text
  }

  /// The capacity for ordinary users: the blocks that are kept for the superuser count neither as free nor as there.
  private func diskCapacity() throws -> Capacity {
    var status = statvfs()
    guard statvfs(disk, &status) == 0 else {
      throw MachineFailure("the disk of \(disk) cannot be measured: \(String(cString: strerror(errno)))")
    }
    let unit = UInt64(status.f_frsize)
    let used = UInt64(status.f_blocks) &- UInt64(status.f_bfree)
    let available = UInt64(status.f_bavail)
    return Capacity(total: (used &+ available) &* unit, available: available &* unit)
  }
}

/// The reason for which the machine cannot be read, in words.
struct MachineFailure: Error, Equatable, Codable, CustomStringConvertible {
  let description: String

  init(_ reason: String) {
    description = reason
  }
}

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

  var description: String { "\(FlagError.quoted(file)) cannot be understood: \(problem)" }
}
