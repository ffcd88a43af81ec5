/// Nanoseconds on the clock that does not jump.
func nanoseconds(_ duration: Duration) -> Double {
  let (seconds, attoseconds) = duration.components
  return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
}

/// Nanoseconds an item that `body` takes.
func perItem(_ count: Int, _ body: () async throws -> Void) async rethrows -> Double {
  let clock = ContinuousClock()
  let start = clock.now
  try await body()
  return nanoseconds(clock.now - start) / Double(count)
}

/// The middle of the figures, or the mean of the two in the middle.
func median(_ figures: [Double]) -> Double {
  let sorted = figures.sorted()
  guard !sorted.isEmpty else { return .nan }
  let middle = sorted.count / 2
  return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
}

/// The value below which a part of the figures lies.
func percentile(_ part: Double, of figures: [Double]) -> Double {
  let sorted = figures.sorted()
  guard let last = sorted.indices.last else { return .nan }
  return sorted[min(Int(Double(sorted.count) * part), last)]
}
