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

/// The uncertainty of the median, as a part of it, with a confidence of 95 %; nil for fewer than six figures.
///
/// The interval goes from one figure to another, chosen so that the median lies outside of it with a probability of at most
/// 5 %, however the figures are distributed: each figure is above the median with probability ½, like a coin.
func uncertainty(_ figures: [Double]) -> Double? {
  guard let left = figuresLeftOut(of: figures.count) else { return nil }
  let sorted = figures.sorted()
  let middle = median(sorted)
  return max(middle - sorted[left], sorted[sorted.count - 1 - left] - middle) / middle
}

/// The largest number of figures that can be left out at each end with a probability of at most 2.5 % an end.
private func figuresLeftOut(of count: Int) -> Int? {
  // By the normal distribution: of more than a thousand figures the probability below is too small for a Double.
  if count > 1_000 { return Int(Double(count) / 2 - 0.98 * Double(count).squareRoot()) - 1 }
  var (part, sum, left) = (1.0, 0.0, -1)
  for _ in 0..<count { part /= 2 }  // The probability that none is below the median.
  while left < count {
    sum += part
    guard sum <= 0.025 else { break }
    left += 1
    part *= Double(count - left) / Double(left + 1)
  }
  return left < 0 ? nil : left
}
