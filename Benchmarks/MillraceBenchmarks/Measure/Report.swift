/// Prints figures as a table, or as one JSON object a line, each line as soon as it is known.
struct Report {
  let isJSON: Bool

  func begin() {
    if isJSON { return }
    line(columns("name", "median", "min", "max", "runs", "reference", "ratio", "to reach"))
  }

  func add(_ row: Row, _ figures: Figures) {
    isJSON ? line(json(row, figures)) : line(text(row, figures))
  }

  private func text(_ row: Row, _ figures: Figures) -> String {
    let ratio = row.reference == nil ? nil : median(figures.ratios)
    let mark = ratio.map { ratio in row.target.map { ratio <= $0 ? "≤ \($0)" : "≤ \($0) missed" } ?? "" } ?? ""
    return columns(
      row.name, rounded(median(figures.figures)) + " " + row.unit, rounded(figures.figures.min() ?? .nan),
      rounded(figures.figures.max() ?? .nan), String(figures.figures.count), row.reference ?? "",
      ratio.map { rounded($0, digits: 3) } ?? "", mark)
  }

  private func columns(
    _ name: String, _ median: String, _ min: String, _ max: String, _ runs: String, _ reference: String,
    _ ratio: String, _ target: String
  ) -> String {
    padded(name, to: 38) + padded(median, to: 14, left: true) + padded(min, to: 12, left: true)
      + padded(max, to: 12, left: true) + padded(runs, to: 6, left: true) + "  " + padded(reference, to: 38)
      + padded(ratio, to: 8, left: true) + "  " + target
  }

  private func padded(_ text: String, to width: Int, left: Bool = false) -> String {
    let blanks = String(repeating: " ", count: max(width - text.count, 1))
    return left ? blanks + text : text + blanks
  }

  private func json(_ row: Row, _ figures: Figures) -> String {
    let reference = row.reference.map { "\"\($0)\"" } ?? "null"
    let ratio = row.reference == nil ? "null" : rounded(median(figures.ratios), digits: 4)
    return """
      {"name":"\(row.name)","unit":"\(row.unit)","median":\(rounded(median(figures.figures))),\
      "min":\(rounded(figures.figures.min() ?? .nan)),"max":\(rounded(figures.figures.max() ?? .nan)),\
      "runs":\(figures.figures.count),"reference":\(reference),"ratio":\(ratio)}
      """
  }

  private func rounded(_ number: Double, digits: Int = 2) -> String {
    guard number.isFinite else { return "null" }
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let whole = (number * scale).rounded() / scale
    return whole == whole.rounded() && abs(whole) < 1e15 ? String(Int(whole)) : String(whole)
  }
}
