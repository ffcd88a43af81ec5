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

  let measure: Measure
}

/// How much is done for one figure.
enum Size: Sendable {
  /// Enough for a figure to be trusted.
  case full
  /// Enough to see that the row runs.
  case quick

  /// The count, or a hundredth of it.
  func scaled(_ count: Int) -> Int {
    self == .full ? count : max(count / 100, 1_000)
  }
}
