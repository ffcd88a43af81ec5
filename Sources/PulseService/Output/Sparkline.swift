/// A series as a line of bars, one a column.
enum Sparkline {
  /// Draws the newest numbers that fit into `width` columns, between 0 and `top`, or 0 and the largest of them.
  static func text(_ values: [Double], width: Int, top: Double? = nil, isASCII: Bool) -> String {
    let levels: [Character] = isASCII ? Array("_.:-=+*#") : Array("▁▂▃▄▅▆▇█")
    let shown = values.suffix(max(0, width))
    let top = top ?? shown.max() ?? 0
    return String(
      shown.map { value in
        guard top > 0 else { return levels[0] }
        let highest = Double(levels.count - 1)
        return levels[Int(min(max((value / top * highest).rounded(), 0), highest))]
      })
  }
}
