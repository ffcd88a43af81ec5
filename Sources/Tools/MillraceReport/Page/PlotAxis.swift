#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// An axis of a plot: the range it shows, and the values it names.
struct PlotAxis: Sendable {
  let name: String
  /// The values that are named, in ascending order.
  let ticks: [Double]
  private let range: (low: Double, high: Double)
  private let isLogarithmic: Bool

  /// An axis that shows all values, or ends at 1 where there are none.
  ///
  /// The values of a logarithmic axis are above 0.
  init(name: String, values: [Double], isLogarithmic: Bool) {
    self.name = name
    self.isLogarithmic = isLogarithmic
    let (low, high) = (values.min() ?? (isLogarithmic ? 0.1 : 0), values.max() ?? 1)
    ticks = isLogarithmic ? Self.decades(from: low, to: high) : Self.rounded(from: low, to: high)
    range = (ticks[0], ticks[ticks.count - 1])
  }

  /// The position of a value on the axis, from 0 to 1.
  func share(of value: Double) -> Double {
    let (low, high) = range
    guard high > low else { return 0.5 }
    guard isLogarithmic else { return (value - low) / (high - low) }
    return log10(value / low) / log10(high / low)
  }

  /// A value as the axis names it: `1200000` is `1.2M`; all values of an axis that is not logarithmic have the same unit.
  func text(_ value: Double) -> String {
    let measure = abs(isLogarithmic ? value : range.high)
    for (unit, size) in [("G", 1e9), ("M", 1e6), ("k", 1e3)] where measure >= size * (isLogarithmic ? 1 : 10) {
      return value == 0 ? "0" : Self.short(value / size) + unit
    }
    return Self.short(value)
  }

  /// Multiples of 1, 2 or 5 times a power of ten that enclose the range, at most eight.
  private static func rounded(from low: Double, to high: Double) -> [Double] {
    let span = high > low ? high - low : max(abs(high), 1)
    let power = powerOfTen(below: span / 6)
    let step = [1, 2, 5, 10].map { $0 * power }.first { $0 >= span / 6 } ?? span
    let first = (low / step).rounded(.down)
    let last = max((high / step).rounded(.up), first + 1)
    return stride(from: first, through: last, by: 1).map { $0 * step }
  }

  /// The powers of ten that enclose the range.
  private static func decades(from low: Double, to high: Double) -> [Double] {
    var ticks = [powerOfTen(below: low)]
    while let last = ticks.last, last < high || ticks.count == 1 { ticks.append(last * 10) }
    return ticks
  }

  /// The greatest power of ten that is not above a positive value.
  private static func powerOfTen(below value: Double) -> Double {
    pow(10, log10(value).rounded(.down))
  }

  private static func short(_ value: Double) -> String {
    let rounded = (value * 1_000).rounded() / 1_000
    return rounded == rounded.rounded() && abs(rounded) < 1e15 ? String(Int(rounded)) : String(rounded)
  }
}
