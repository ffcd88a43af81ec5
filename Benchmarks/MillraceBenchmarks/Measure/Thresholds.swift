import Foundation
import MillraceFlags

/// The figures of rows when they were last agreed on, by the names of the rows.
///
/// A file has one line a row: its name, the ratio of processor times on one core, and the allocations an item. A hyphen is a figure
/// without a threshold. Lines that are empty or begin with `#` have no meaning.
struct Thresholds: Equatable {
  /// The thresholds of one row; nil for a figure that has none.
  struct Limit: Equatable {
    var ratio: Double?
    var allocations: Double?
  }

  var limits: [String: Limit] = [:]

  init(_ limits: [String: Limit] = [:]) {
    self.limits = limits
  }

  /// Reads a file.
  ///
  /// - Throws: a sentence for a file that cannot be read, has another line, or has no row.
  init(contentsOf path: String) throws(FlagError) {
    guard let data = FileManager.default.contents(atPath: path), let text = String(data: data, encoding: .utf8) else {
      throw Self.wrong(path, "cannot be read")
    }
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let words = line.split(whereSeparator: \.isWhitespace)
      guard let name = words.first, !name.hasPrefix("#") else { continue }
      guard words.count == 3, let ratio = Self.figure(words[1]), let allocations = Self.figure(words[2]) else {
        throw Self.wrong(path, "has something else in line \(index + 1)")
      }
      guard limits.updateValue(Limit(ratio: ratio, allocations: allocations), forKey: String(name)) == nil else {
        throw Self.wrong(path, "has \(name) again in line \(index + 1)")
      }
    }
    if limits.isEmpty { throw Self.wrong(path, "has no row") }
  }

  /// The text of a file with these thresholds, sorted by name.
  var text: String {
    let width = limits.keys.map(\.count).max() ?? 0
    let lines = limits.sorted { $0.key < $1.key }.map { name, limit in
      let ratio = Self.text(limit.ratio, digits: 3)
      return name.filled(to: width) + "  " + ratio.filled(to: 9) + "  " + Self.text(limit.allocations, digits: 4)
    }
    return ([Self.header] + lines).joined(separator: "\n") + "\n"
  }

  /// The first line of a file.
  private static let header =
    "# Row, ratio of processor times on one core, allocations an item; see docs/performance.md."

  private static func wrong(_ path: String, _ reason: String) -> FlagError {
    FlagError(
      "--thresholds needs a file that 'benchmarks --write-thresholds' has written, but \(FlagError.quoted(path)) \(reason)."
    )
  }

  /// Returns the figure of a word, `.some(nil)` for a hyphen, and nil for another word.
  private static func figure(_ word: Substring) -> Double?? {
    if word == "-" { return .some(nil) }
    guard let number = Double(word), number.isFinite, number >= 0 else { return nil }
    return number
  }

  private static func text(_ figure: Double?, digits: Int) -> String {
    figure.map { rounded($0, digits: digits) } ?? "-"
  }
}

extension String {
  fileprivate func filled(to width: Int) -> String {
    self + String(repeating: " ", count: max(width - count, 0))
  }
}
