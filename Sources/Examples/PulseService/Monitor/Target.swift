import Foundation

/// An endpoint that is watched, and what is known of it.
struct Target: Codable, Sendable, Equatable {
  /// The result of one probe.
  enum Result: Codable, Sendable, Equatable {
    // The status is that of an HTTP answer; nil where there was none.
    case up(latency: Duration, status: Int? = nil)
    case down(reason: String, status: Int? = nil)

    var isDown: Bool {
      if case .down = self { true } else { false }
    }
  }

  var endpoint: Endpoint
  /// Whether a probe is under way.
  var isProbing = false
  /// The result of the newest probe that has ended; nil before the first.
  var result: Result?
  /// The latencies of the probes that were answered, in seconds.
  var latencies: Series
  /// The time at which its certificates were read; nil if the next probe is to read them.
  var certificateRead: Duration?

  /// One word for where the target stands: a probe under way comes before how the one before it ended.
  var word: String {
    if isProbing { return "probing" }
    return switch result {
    case .up: "up"
    case .down: "down"
    case nil: "unknown"
    }
  }
}

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

  /// Creates a sample of a reading and the one before; where no tick lies between them, the processors are what they were.
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

/// The newest numbers of something that is measured again and again; the oldest make room for the new.
struct Series: Codable, Sendable, Equatable {
  /// The largest number of values.
  let capacity: Int
  /// A ring once it is full: the oldest number is then at `start`.
  private var ring: [Double] = []
  private var start = 0

  init(capacity: Int) {
    self.capacity = max(1, capacity)
  }

  private enum CodingKeys: CodingKey {
    case capacity, ring, start
  }

  /// Refuses a ring that no series can have.
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    capacity = try container.decode(Int.self, forKey: .capacity)
    ring = try container.decode([Double].self, forKey: .ring)
    start = try container.decode(Int.self, forKey: .start)
    try container.check(.capacity, capacity >= 1, "A series keeps one number at least.")
    try container.check(.ring, ring.count <= capacity, "A series keeps no more numbers than its capacity.")
    try container.check(
      .start, start == 0 || (start < ring.count && ring.count == capacity), "A series starts within its ring.")
  }

  var count: Int { ring.count }
  var last: Double? { ring.isEmpty ? nil : ring[(start + ring.count - 1) % ring.count] }

  /// All numbers kept, the oldest first.
  var values: [Double] { Array(ring[start...] + ring[..<start]) }

  mutating func append(_ value: Double) {
    if ring.count < capacity {
      ring.append(value)
    } else {
      ring[start] = value
      start = (start + 1) % capacity
    }
  }

  static func == (one: Series, other: Series) -> Bool {
    one.capacity == other.capacity && one.values == other.values
  }
}
