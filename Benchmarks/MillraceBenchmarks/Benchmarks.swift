import Foundation
import MillraceBenchmarksSystem
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
      sendRows + interceptRows + composeRows + handleRows + runRows + serviceRows + observeRows + stateRows + storeRows
      + testingRows + recordingRows
    guard rows.contains(where: { filter.isEmpty || $0.name.contains(filter) }) else {
      flags.exit(
        with: FlagError(
          flag: "--filter", needs: "a part of the name of a row", given: filter, example: "send/decided"))
    }
    if parsed.isOn("--one-core"), !millrace_keep_on_one_core() {
      flags.exit(with: FlagError("--one-core needs Linux, and the right to choose a processor; leave it out."))
    }
    let baseline = baselineOrExit(parsed)
    let refusal = millrace_open_instructions()
    if refusal != 0 {
      note("Instructions are not counted: perf_event_open fails with '\(String(cString: strerror(refusal)))'.")
    }
    let report = Report(isJSON: parsed.isOn("--json"), baseline: baseline)
    var suite = Suite(rows: rows, size: parsed.isOn("--quick") ? .quick : .full, countsInstructions: refusal == 0)
    var (missed, slower) = ([String](), [String]())
    report.begin()
    try await suite.run(filter: filter) { row, figures in
      report.add(row, figures)
      if let target = row.target, median(figures.ratios) > target { missed.append(row.name) }
      if baseline?.isSlower(row, figures) == true { slower.append(row.name) }
    }
    if !missed.isEmpty { note("Missed the ratio to reach: \(missed.joined(separator: ", ")).") }
    if !slower.isEmpty { note("Slower than before by more than the uncertainty: \(slower.joined(separator: ", ")).") }
    if parsed.isOn("--check"), !missed.isEmpty || !slower.isEmpty { exit(1) }
  }

  private static func baselineOrExit(_ parsed: ParsedFlags) -> Baseline? {
    guard let path = parsed.text("--baseline") else { return nil }
    do throws(FlagError) {
      return try Baseline(contentsOf: path)
    } catch {
      flags.exit(with: error)
    }
  }

  private static let flags = Flags(
    command: "benchmarks",
    summary: "Measures what Millrace costs, each figure beside a reference measured in the same run.",
    [
      .text("--filter", "TEXT", example: "send/decided", help: "measure only rows whose name has TEXT in it"),
      .text("--baseline", "FILE", example: "before.jsonl", help: "compare with an earlier run, written by --json"),
      .toggle("--one-core", help: "use one processor, so that none hides the work of another"),
      .toggle("--json", help: "print one JSON object a line instead of a table"),
      .toggle("--check", help: "exit with 1 when a ratio is missed, or is slower than in the baseline"),
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
