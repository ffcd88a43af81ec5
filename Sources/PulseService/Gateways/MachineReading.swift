import Foundation

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
