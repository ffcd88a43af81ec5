/// The figures of one row over all rounds.
struct Figures: Sendable {
  private(set) var values: [Double] = []

  /// Empty for a row whose processor time says nothing.
  private(set) var cpu: [Double] = []

  /// Of each round, the figure over the reference's figure of that round; empty for a reference.
  private(set) var ratios: [Double] = []
  private(set) var cpuRatios: [Double] = []

  /// Allocations an item, counted in a round of their own; nil where they cannot be.
  var allocations: Double?

  /// Instructions an item, counted in a round of their own; nil where the machine does not count them.
  var instructions: Double?

  var rounds: Int { values.count }

  /// The ratios, or the values of a row that has none.
  var compared: [Double] { ratios.isEmpty ? values : ratios }

  mutating func add(_ figure: Figure, over reference: Figure? = nil) {
    values.append(figure.value)
    if let used = figure.cpu { cpu.append(used) }
    guard let reference else { return }
    ratios.append(figure.value / reference.value)
    if let used = figure.cpu, let other = reference.cpu { cpuRatios.append(used / other) }
  }
}
