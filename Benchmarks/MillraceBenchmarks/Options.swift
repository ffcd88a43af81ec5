import MillraceFlags

/// The command line, read and checked.
struct Options {
  let filter: String
  let size: Size
  let time: Duration?
  let isJSON: Bool
  let isChecked: Bool
  let isOnOneCore: Bool
  let baseline: Baseline?

  /// The thresholds to check; nil without the flag, and for a folder that has none for this compiler.
  let thresholds: Thresholds?

  /// The file to write with the thresholds of this run.
  let thresholdsToWrite: String?

  /// Sentences for standard error.
  private(set) var remarks: [String] = []

  init(_ parsed: ParsedFlags) throws(FlagError) {
    filter = parsed.text("--filter") ?? ""
    time = parsed.seconds("--seconds")
    size = parsed.isOn("--quick") ? .quick : time == nil ? .full : .short
    isJSON = parsed.isOn("--json")
    isChecked = parsed.isOn("--check")
    isOnOneCore = parsed.isOn("--one-core")
    baseline = if let path = parsed.text("--baseline") { try Baseline(contentsOf: path) } else { nil }
    thresholdsToWrite = parsed.text("--write-thresholds")
    if thresholdsToWrite != nil, !isOnOneCore || size != .short || !filter.isEmpty {
      throw FlagError(
        "--write-thresholds needs short rounds of all rows on one core; add --one-core --seconds 3, and leave --filter and "
          + "--quick out.")
    }
    guard let path = parsed.text("--thresholds") else {
      thresholds = nil
      return
    }
    if let file = ThresholdFile.chosen(path) {
      thresholds = try Thresholds(contentsOf: file)
    } else {
      thresholds = nil
      remarks.append(
        "\(FlagError.quoted(path)) has no thresholds for Swift \(ThresholdFile.compiler), so none are checked; write them with "
          + "--one-core --seconds 3 --write-thresholds FILE.")
    }
    if thresholds != nil, !isOnOneCore || size != .short {
      remarks.append(
        "Thresholds are ratios of short rounds on one core; add --one-core --seconds 3 to compare the same.")
    }
  }

  /// Whether the row is to be measured; where nothing but thresholds is compared, a row that can have none is not.
  func chooses(_ row: Row) -> Bool {
    guard filter.isEmpty else { return row.name.contains(filter) }
    return row.isGated || thresholds == nil || isChecked || baseline != nil
  }

  static let flags = Flags(
    command: "benchmarks",
    summary: "Measures what Millrace costs, each figure beside a reference measured in the same run.",
    exitCodes: [
      ExitCode(0, "the figures are measured, and hold what they were compared with"),
      ExitCode(1, "a ratio is missed, or a row is slower than its threshold or its baseline"), .usage,
    ],
    [
      .text("--filter", "TEXT", example: "send/decided", help: "measure only rows whose name has TEXT in it"),
      .text("--baseline", "FILE", example: "before.jsonl", help: "compare with an earlier run, written by --json"),
      .text(
        "--thresholds", "PATH", example: "Benchmarks/Thresholds",
        help:
          "exit with 1 when a row exceeds its threshold in this file, or in the one of this compiler in this folder; "
          + "rows that can have none are measured with --check, --baseline or --filter only"
      ),
      .text(
        "--write-thresholds", "FILE", example: "Benchmarks/Thresholds/swift-\(ThresholdFile.compiler).txt",
        help: "write the figures of this run as thresholds"),
      .seconds(
        "--seconds", example: "3", help: "measure each row in short rounds for this time, however uncertain it is"),
      .toggle("--one-core", help: "use one processor, so that none hides the work of another"),
      .toggle("--json", help: "print one JSON object a line instead of a table"),
      .toggle("--check", help: "exit with 1 when a ratio is missed, or is slower than in the baseline"),
      .toggle("--quick", help: "do a hundredth of the work, one round: shows that all rows run"),
    ])
}
