/// Prints figures as a table, or as one JSON object a line, each line as soon as it is known.
struct Report {
  let isJSON: Bool

  /// An earlier run, whose ratios are shown beside those of this one.
  var baseline: Baseline?

  func begin() {
    if isJSON { return }
    line(
      columns(
        [
          "name", "median", "±", "min", "max", "cpu", "allocations", "instructions", "rounds", "reference", "ratio",
          "cpu ratio", "to reach",
        ],
        before: "before"))
  }

  func add(_ row: Row, _ figures: Figures) {
    isJSON ? line(json(row, figures)) : line(text(row, figures))
  }

  private func text(_ row: Row, _ figures: Figures) -> String {
    let ratio = row.reference == nil ? nil : median(figures.ratios)
    let mark = ratio.map { ratio in row.target.map { ratio <= $0 ? "≤ \($0)" : "≤ \($0) missed" } ?? "" } ?? ""
    return columns(
      [
        row.name, rounded(median(figures.values)) + " " + row.unit, percent(uncertainty(figures.compared)),
        rounded(figures.values.min() ?? .nan), rounded(figures.values.max() ?? .nan),
        figures.cpu.isEmpty ? "" : rounded(median(figures.cpu)) + " ns",
        figures.allocations.map { rounded($0, digits: 1) } ?? "",
        figures.instructions.map { rounded($0, digits: 0) } ?? "",
        String(figures.rounds), row.reference ?? "",
        ratio.map { rounded($0, digits: 3) } ?? "",
        figures.cpuRatios.isEmpty ? "" : rounded(median(figures.cpuRatios), digits: 3), mark,
      ], before: baseline?.text(row, figures))
  }

  /// In percent, with an exclamation mark where the row ended before it was tight.
  private func percent(_ part: Double?) -> String {
    part.map { rounded($0 * 100, digits: 1) + " %" + ($0 > Suite.tight ? " !" : "") } ?? ""
  }

  private func columns(_ texts: [String], before: String?) -> String {
    let widths = [38, -14, -10, -12, -12, -14, -12, -13, -8, 40, -8, -11, 14]
    let cells = zip(texts, widths).map { text, width in
      let blanks = String(repeating: " ", count: max(abs(width) - text.count, 1))
      return width < 0 ? blanks + text : (width == 40 ? "  " : "") + text + blanks
    }
    let line = cells.dropLast().joined() + "  " + (cells.last ?? "")
    return baseline == nil ? line.trimmingBlanks : line + (before ?? "")
  }

  private func json(_ row: Row, _ figures: Figures) -> String {
    let fields: [(String, String)] = [
      ("name", "\"\(row.name)\""), ("unit", "\"\(row.unit)\""), ("median", rounded(median(figures.values))),
      ("min", rounded(figures.values.min() ?? .nan)), ("max", rounded(figures.values.max() ?? .nan)),
      ("cpu", rounded(median(figures.cpu))),
      ("allocations", rounded(figures.allocations ?? .nan)),
      ("instructions", rounded(figures.instructions ?? .nan, digits: 1)), ("rounds", String(figures.rounds)),
      ("reference", row.reference.map { "\"\($0)\"" } ?? "null"), ("ratio", rounded(median(figures.ratios), digits: 4)),
      ("cpuRatio", rounded(median(figures.cpuRatios), digits: 4)),
      ("uncertainty", rounded(uncertainty(figures.compared) ?? .nan, digits: 4)),
    ]
    return "{" + fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
  }
}

extension String {
  fileprivate var trimmingBlanks: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}

/// The number, rounded to `digits` digits behind the point; `null` if it is not finite.
func rounded(_ number: Double, digits: Int = 2) -> String {
  guard number.isFinite else { return "null" }
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  let whole = (number * scale).rounded() / scale
  return whole == whole.rounded() && abs(whole) < 1e15 ? String(Int(whole)) : String(whole)
}
