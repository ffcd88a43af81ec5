import Foundation
import MillraceBenchmarksSystem
import MillraceFlags

/// All rows, in the order of the table.
let allRows: [Row] =
  sendRows + composeRows + interceptRows + handleRows + runRows + fullPlanRows + serviceRows + durableServiceRows
  + cacheRows + observeRows + manyObserverRows + feedbackRows + timerRows + stepRows + stateRows + storeRows
  + testingRows
  + recordingRows
  + journalRows + keyRows + storesRows + liveKeyRows + postgresRows + inspectorRows

/// The sentences about rows that this build does not have, each with words of their names.
private let absentRows: [(sentence: String?, words: [String])] = [
  (absentJournalRows, ["journal", "durable"]), (absentPostgresRows, ["postgres"]),
  (absentInspectorRows, ["inspect"]),
]

/// Measures what the store costs, each figure beside a reference that does the same by hand.
@main
struct Benchmarks {
  static func main() async throws {
    if let probe = idleProbe(CommandLine.arguments) {
      await probe.kind.run(probe.count)
      return
    }
    let options = Options.flags.parseOrExit { parsed throws(FlagError) in try Options(parsed) }
    for (sentence, words) in absentRows where options.filter.isEmpty || words.contains(where: options.filter.contains) {
      if let sentence { StandardError.writeLine(sentence) }
    }
    guard allRows.contains(where: options.chooses) else {
      FlagError(
        flag: "--filter", needs: "a part of the name of a row", given: options.filter, example: "send/decided"
      ).exit()
    }
    if options.isOnOneCore, !millrace_keep_on_one_core(CommandLine.unsafeArgv) {
      FlagError("--one-core needs Linux, and the right to choose a processor; leave it out.").exit()
    }
    options.remarks.forEach(StandardError.writeLine)
    let refusal = millrace_open_instructions()
    if refusal != 0 {
      StandardError.writeLine(
        "Instructions are not counted: perf_event_open fails with '\(String(cString: strerror(refusal)))'.")
    }
    do {
      try await measure(options, countsInstructions: refusal == 0)
    } catch let failure as RowFailure {
      StandardError.writeLine(failure.description)
      exit(1)
    }
  }

  /// Measures the rows, reports them, and exits with 1 if a check fails.
  private static func measure(_ options: Options, countsInstructions: Bool) async throws {
    let report = Report(isJSON: options.isJSON, baseline: options.baseline)
    var verdict = Verdict(
      isChecked: options.isChecked, baseline: options.baseline, thresholds: options.thresholds)
    func run(where isChosen: (Row) -> Bool) async throws {
      var suite = Suite(
        rows: allRows, size: options.size, time: options.time, countsInstructions: countsInstructions)
      try await suite.run(where: isChosen) { row, figures in
        report.add(row, figures)
        verdict.add(row, figures)
      }
    }
    report.begin()
    try await run(where: options.chooses)
    let failing = verdict.beyondThresholds
    if !failing.isEmpty {
      StandardError.writeLine("Beyond their thresholds, so measured once more: \(failing.joined(separator: ", ")).")
      try await run { failing.contains($0.name) }
    }
    verdict.sentences(among: allRows).forEach(StandardError.writeLine)
    if let path = options.thresholdsToWrite { writeOrExit(Thresholds(of: verdict.measured), to: path) }
    if verdict.isFailure { exit(1) }
  }

  private static func writeOrExit(_ thresholds: Thresholds, to path: String) {
    do {
      try thresholds.text.write(toFile: path, atomically: true, encoding: .utf8)
    } catch {
      FlagError("--write-thresholds needs a file that can be written, but \(FlagError.quoted(path)) cannot.").exit()
    }
  }

  /// The measurement of this process, if another benchmark process started it.
  private static func idleProbe(_ arguments: [String]) -> (kind: IdleProbe, count: Int)? {
    guard arguments.count == 4, arguments[1] == IdleProbe.argument, let kind = IdleProbe(rawValue: arguments[2]),
      let count = Int(arguments[3])
    else { return nil }
    return (kind, count)
  }
}
