import Foundation

/// The state of this machine.
struct Machine: Codable, Sendable, Equatable {
  /// The newest reading of the counters; two of them make a sample.
  var reading: MachineReading?
  /// The newest sample; nil before the first.
  var sample: MachineSample?
  /// The failure of the newest attempt to read; nil when it has succeeded.
  var failure: String?
}

/// The load between two readings of the counters.
struct MachineSample: Codable, Sendable, Equatable {
  let time: Date
  /// The busy share of all processors in percent; nil when no two readings have been far enough apart to tell.
  let cpu: Double?
  let memory: Capacity
  let disk: Capacity
  let load: LoadAverage
  let uptime: Duration

  /// Makes a sample of a reading and the one before; where no tick lies between them, the processors are what they were.
  init(_ reading: MachineReading, since earlier: MachineReading, after sample: MachineSample?) {
    time = reading.time
    cpu = reading.cpu.percentBusy(since: earlier.cpu) ?? sample?.cpu
    memory = reading.memory
    disk = reading.disk
    load = reading.load
    uptime = reading.uptime
  }

  /// The number that a series and the rules know under this name.
  subscript(metric: Metric) -> Double? {
    switch metric {
    case .cpu: cpu
    case .memory: memory.percentUsed
    case .disk: disk.percentUsed
    case .load: load.oneMinute
    }
  }
}
