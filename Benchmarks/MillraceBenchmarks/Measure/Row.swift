/// One figure of a workload, and what it is held against.
struct Row: Sendable {
  /// Runs the workload once, in the pool where services run too, and gives its figure in the row's unit.
  typealias Measure = @Sendable @concurrent (_ size: Size) async throws -> Figure

  let name: String
  var unit = "ns"

  /// The name of the row that it is divided by; nil for a row that is only a reference.
  var reference: String?

  /// The ratio to reach.
  var target: Double?

  /// The figures of the row that have a threshold.
  var gate = Gate.near

  let measure: Measure
}

/// The failure of a row that its user can mend.
struct RowFailure: Error, CustomStringConvertible, Equatable {
  /// The reason and the fix, a sentence.
  let description: String
}

/// The figures of a row that have a threshold, or the reason that none has.
enum Gate: Sendable {
  /// The ratio of processor times, and exactly the number of allocations: each action is decided on the sender's thread.
  case exact
  /// The ratio of processor times, and the number of allocations within 0.1.
  case near
  /// The number of allocations within 0.1, because the ratio differs by more than 10 % between runs of one build.
  case allocations
  /// None, because several tasks work at the same time and the figures depend on how they interleave.
  case severalThreads
  /// None, because a latency depends on the processor that wakes up.
  case latency
  /// None, because another process does the work.
  case otherProcess
  /// None, because a trait builds the row, and thresholds are checked in builds without it too: the row has a ratio to reach.
  case otherBuild

  /// Whether the ratio of processor times has a threshold.
  var hasRatio: Bool { self == .exact || self == .near }

  /// The difference that the number of allocations may have from its threshold; nil if it has none.
  var allocationSlack: Double? {
    switch self {
    case .exact: 0
    case .near, .allocations: 0.1
    case .severalThreads, .latency, .otherProcess, .otherBuild: nil
    }
  }
}

/// The amount of work for one figure.
enum Size: Sendable {
  /// Enough for a figure to be trusted.
  case full
  /// A tenth of it, for many rounds: the shorter a round, the less the machine changes between a row and its reference.
  case short
  /// Enough to see that the row runs.
  case quick

  /// The count, a tenth of it, or a hundredth of it.
  func scaled(_ count: Int) -> Int {
    switch self {
    case .full: count
    case .short: max(count / 10, 1_000)
    case .quick: max(count / 100, 1_000)
    }
  }
}
