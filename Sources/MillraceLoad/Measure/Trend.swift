/// The way a figure changes over a run, by linear regression (least squares) over its readings.
///
/// The first fifth of the readings is left out, in which caches fill.
struct Trend: Sendable, Equatable {
  /// The mean of the readings.
  let mean: Double
  /// The change from the first to the last reading, by the line that fits best.
  let change: Double
  /// The standard error of the change.
  let uncertainty: Double

  /// - Parameter readings: in equal distances of time; nil for fewer than ten.
  init?(_ readings: [Int]) {
    let values = readings.dropFirst(readings.count / 5).map(Double.init)
    guard values.count >= 8, readings.count >= 10 else { return nil }
    let count = Double(values.count)
    let mean = values.reduce(0, +) / count
    let middle = (count - 1) / 2
    var (products, squares) = (0.0, 0.0)
    for (index, value) in values.enumerated() {
      products += (Double(index) - middle) * (value - mean)
      squares += (Double(index) - middle) * (Double(index) - middle)
    }
    let slope = products / squares
    let rest = values.enumerated().reduce(0) { sum, reading in
      let distance = reading.element - mean - slope * (Double(reading.offset) - middle)
      return sum + distance * distance
    }
    self.mean = mean
    change = slope * (count - 1)
    uncertainty = (rest / (count - 2) / squares).squareRoot() * (count - 1)
  }

  /// Whether it grows: by more than a twentieth of its mean, by more than is ignored, and by more than four standard errors.
  func isGrowing(ignoring least: Double) -> Bool {
    change > max(mean / 20, least) && change > 4 * uncertainty
  }

  /// Says in a sentence whether a figure is flat.
  func sentence(_ name: String, unit: (Double) -> String, ignoring least: Double) -> String {
    guard isGrowing(ignoring: least) else { return "\(name) is flat at \(unit(mean))." }
    return "\(name) grew by \(unit(change)), to \(unit(mean + change / 2)), and is not flat."
  }
}
