/// A number of this machine that is kept as a series, and that rules are about.
enum Metric: String, Codable, CodingKeyRepresentable, Sendable, CaseIterable {
  case cpu
  case memory
  case disk
  case load

  /// Whether the number is a share from 0 to 100; `load` is a plain number.
  var isPercent: Bool { self != .load }
}
