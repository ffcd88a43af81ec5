import Foundation
import MillraceFlags

/// Measures what the store costs, each figure beside a reference that does the same by hand.
@main
struct Benchmarks {
  static func main() async throws {
    if let probe = idleProbe(CommandLine.arguments) {
      probe.kind.run(probe.count)
      return
    }
    let parsed = flags.parseOrExit()
    let filter = parsed.text("--filter") ?? ""
    let rows =
      sendRows + interceptRows + composeRows + handleRows + runRows + observeRows + stateRows + storeRows + testingRows
      + recordingRows
    guard rows.contains(where: { filter.isEmpty || $0.name.contains(filter) }) else {
      flags.exit(
        with: FlagError(
          flag: "--filter", needs: "a part of the name of a row", given: filter, example: "send/decided"))
    }
    let report = Report(isJSON: parsed.isOn("--json"))
    var suite = Suite(rows: rows, size: parsed.isOn("--quick") ? .quick : .full)
    var missed: [String] = []
    report.begin()
    try await suite.run(filter: filter) { row, figures in
      report.add(row, figures)
      if let target = row.target, median(figures.ratios) > target { missed.append(row.name) }
    }
    if !missed.isEmpty {
      note("Missed the ratio to reach: \(missed.joined(separator: ", ")).")
      if parsed.isOn("--check") { exit(1) }
    }
  }

  private static let flags = Flags(
    command: "benchmarks",
    summary: "Measures what Millrace costs, each figure beside a reference measured in the same run.",
    [
      .text("--filter", "TEXT", example: "send/decided", help: "measure only rows whose name has TEXT in it"),
      .toggle("--json", help: "print one JSON object a line instead of a table"),
      .toggle("--check", help: "exit with 1 when a ratio is missed"),
      .toggle("--quick", help: "do a hundredth of the work, one round: shows that all rows run"),
    ])

  /// What this process is to measure when it was started by another one of its kind.
  private static func idleProbe(_ arguments: [String]) -> (kind: IdleProbe, count: Int)? {
    guard arguments.count == 4, arguments[1] == IdleProbe.argument, let kind = IdleProbe(rawValue: arguments[2]),
      let count = Int(arguments[3])
    else { return nil }
    return (kind, count)
  }
}
