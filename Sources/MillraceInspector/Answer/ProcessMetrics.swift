import Foundation
import Millrace

/// The metrics of the process, by the names that client libraries of Prometheus give them.
enum ProcessMetrics {
  #if canImport(Glibc)
    private static let itself = RUSAGE_SELF.rawValue
  #else
    private static let itself = RUSAGE_SELF
  #endif

  /// The series now; without those that the system does not say.
  static func series() -> [Metrics.Series] {
    var series: [Metrics.Series] = []
    var usage = rusage()
    if getrusage(itself, &usage) == 0 {
      series.append(
        .counter(
          "process_cpu", seconds(usage.ru_utime) + seconds(usage.ru_stime), unit: "seconds",
          help: "Processor time that the process has used."))
    }
    if let limit = FileLimit.current {
      series.append(.gauge("process_max_fds", Double(limit), help: "Descriptors that the process may have open."))
    }
    if let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
      series.append(.gauge("process_open_fds", Double(open), help: "Descriptors that the process has open."))
    }
    return series + ofStat()
  }

  /// The series of `/proc/self/stat`, whose fields begin behind the name of the program.
  private static func ofStat() -> [Metrics.Series] {
    guard let data = FileManager.default.contents(atPath: "/proc/self/stat") else { return [] }
    // The name may be cut inside of a character.
    let text = String(decoding: data, as: UTF8.self)
    guard let name = text.lastIndex(of: ")") else { return [] }
    let fields = text[name...].split(separator: " ").dropFirst().map { Double($0) ?? 0 }
    guard fields.count > 21 else { return [] }
    let page = Double(sysconf(Int32(_SC_PAGESIZE)))
    let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
    var series: [Metrics.Series] = [
      .gauge("process_threads", fields[17], help: "Threads of the process."),
      .gauge("process_virtual_memory", fields[20], unit: "bytes", help: "Virtual memory of the process."),
      .gauge("process_resident_memory", fields[21] * page, unit: "bytes", help: "Resident memory of the process."),
    ]
    if let started = startOfSystem {
      series.append(
        .gauge(
          "process_start_time", started + fields[19] / ticks, unit: "seconds",
          help: "Time at which the process was started."))
    }
    return series
  }

  /// The time at which the system was started, in seconds since 1970.
  private static let startOfSystem: Double? = {
    let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8)
    let line = text?.split(separator: "\n").first { $0.hasPrefix("btime ") }
    return line.flatMap { Double($0.dropFirst(6)) }
  }()

  private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
}
