/// The judgement of a run by ratios to reach, a baseline and thresholds.
struct Verdict {
  /// Whether a ratio that is missed, or is slower than in the baseline, is a failure.
  let isChecked: Bool
  let baseline: Baseline?
  let thresholds: Thresholds?

  private(set) var measured: [(row: Row, figures: Figures)] = []

  init(isChecked: Bool, baseline: Baseline? = nil, thresholds: Thresholds? = nil) {
    self.isChecked = isChecked
    self.baseline = baseline
    self.thresholds = thresholds
  }

  /// Adds the figures of a row, in place of earlier figures of the same row.
  mutating func add(_ row: Row, _ figures: Figures) {
    if let index = measured.firstIndex(where: { $0.row.name == row.name }) {
      measured[index].figures = figures
    } else {
      measured.append((row, figures))
    }
  }

  /// The names of the rows that their thresholds forbid.
  var beyondThresholds: [String] {
    measured.filter { thresholds?.failures(of: $0.row, $0.figures).isEmpty == false }.map(\.row.name)
  }

  /// Whether the run ends with exit code 1.
  var isFailure: Bool {
    !beyondThresholds.isEmpty || isChecked && !(missed.isEmpty && slower.isEmpty)
  }

  /// Sentences for standard error.
  func sentences(among rows: [Row]) -> [String] {
    var sentences: [String] = []
    if !missed.isEmpty { sentences.append("Missed the ratio to reach: \(missed.joined(separator: ", ")).") }
    if !slower.isEmpty {
      sentences.append("Slower than before by more than the uncertainty: \(slower.joined(separator: ", ")).")
    }
    guard let thresholds else { return sentences }
    return sentences + thresholds.unmatched(measured, among: rows)
      + measured.flatMap { thresholds.failures(of: $0.row, $0.figures) }
  }

  private var missed: [String] {
    measured.filter { row, figures in row.target.map { median(figures.ratios) > $0 } ?? false }.map(\.row.name)
  }

  private var slower: [String] {
    measured.filter { baseline?.isSlower($0.row, $0.figures) == true }.map(\.row.name)
  }
}
