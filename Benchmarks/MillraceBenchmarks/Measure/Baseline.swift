import Foundation
import MillraceFlags

/// The figures of an earlier run.
struct Baseline {
  /// One line of `benchmarks --json`.
  private struct Line: Decodable {
    let name: String
    let median: Double?
    let ratio: Double?
    let uncertainty: Double?
  }

  private let lines: [String: Line]

  /// - Throws: a sentence for a file that cannot be read or has another line.
  init(contentsOf path: String) throws(FlagError) {
    func wrong(_ reason: String) -> FlagError {
      FlagError(
        "--baseline needs a file that 'benchmarks --json' has written, but \(FlagError.quoted(path)) \(reason).")
    }
    guard let data = FileManager.default.contents(atPath: path) else { throw wrong("cannot be read") }
    var lines: [String: Line] = [:]
    for (index, text) in data.split(separator: UInt8(ascii: "\n")).enumerated() {
      guard let line = try? JSONDecoder().decode(Line.self, from: text) else {
        throw wrong("has something else in line \(index + 1)")
      }
      lines[line.name] = line
    }
    if lines.isEmpty { throw wrong("is empty") }
    self.lines = lines
  }

  /// The ratio before, or the median of a row that has none, and by how much it is more now.
  func text(_ row: Row, _ figures: Figures) -> String {
    guard let before = before(row) else { return "" }
    let change = (median(figures.compared) / before - 1) * 100
    return rounded(before, digits: 3) + (change < 0 ? "  −" : "  +") + rounded(abs(change), digits: 1) + " %"
  }

  /// Whether the row is slower than before by more than both are uncertain.
  func isSlower(_ row: Row, _ figures: Figures) -> Bool {
    guard let before = before(row), let uncertaintyBefore = lines[row.name]?.uncertainty,
      let uncertainty = uncertainty(figures.compared)
    else { return false }
    return median(figures.compared) * (1 - uncertainty) > before * (1 + uncertaintyBefore)
  }

  private func before(_ row: Row) -> Double? {
    lines[row.name].flatMap { row.reference == nil ? $0.median : $0.ratio }
  }
}
