import Foundation
import MillraceFlags

/// The command line of a load program, read and checked.
struct LoadCommand: Sendable {
  let scenario: LoadScenario
  let options: LoadOptions
  let condition: LatencyCondition?
  /// The first rate of a search for the limit.
  private let rate: Double?
  let reportPath: String?
  let isJSON: Bool

  static func flags(command: String, _ scenarios: [LoadScenario], others: [Flag] = []) -> Flags {
    let names = scenarios.map { $0.summary.isEmpty ? $0.name : "\($0.name) (\($0.summary))" }.joined(separator: ", ")
    return Flags(
      command: command, summary: "Loads a system, and reports how long its requests take.",
      [
        .text("--scenario", "NAME", example: scenarios.first?.name, help: "what is loaded: \(names)")
      ] + others + [
        .text("--rate", "N", example: "2000", help: "requests a second, or the first rate of --find-limit"),
        .text(
          "--schedule", "SHAPE", example: "poisson",
          help: "constant, poisson, ramp (from 0 to the rate), steps (a fifth more each) or spike (ten times the rate)"),
        .toggle("--closed", help: "send a request when the last one has ended, instead of on a schedule"),
        .seconds("--think", help: "time a client of --closed waits between two requests (default 0)"),
        .integer("--clients", in: 1...1_000_000, help: "clients of --closed (default one a user)"),
        .integer("--users", in: 1...10_000_000, help: "virtual users, each with a store of its own"),
        .seconds("--for", help: "the measured part (default 10)"),
        .seconds("--warm-up", help: "time before it that is not counted (default 1)"),
        .seconds("--drain", help: "time to wait for requests in flight at the end (default 5)"),
        .integer("--max-in-flight", in: 1...100_000_000, help: "most requests in flight (default 100000)"),
        .integer("--seed", in: 0...Int.max, help: "where random gaps and choices come from (default 0)"),
        .text(
          "--find-limit", "CONDITION", example: "'p99<=10ms'", help: "find the highest rate at which this holds"),
        .text("--report", "FILE", example: "report.html", help: "write a page with plots"),
        .toggle("--json", help: "print one JSON object as the last line of standard output"),
      ])
  }

  /// - Throws: a sentence for values that do not fit together, and for names there are not.
  init(_ parsed: ParsedFlags, _ scenarios: [LoadScenario]) throws(FlagError) {
    scenario = try Self.scenario(named: parsed.text("--scenario"), in: scenarios)
    rate = try Self.rate(parsed)
    if let text = parsed.text("--find-limit") {
      do throws(LoadError) {
        condition = try LatencyCondition(text)
      } catch {
        throw FlagError("--find-limit: \(error.description)")
      }
    } else {
      condition = nil
    }
    options = LoadOptions(
      try Self.mode(parsed, rate: rate, scenario), duration: parsed.seconds("--for") ?? .seconds(10),
      warmUp: parsed.seconds("--warm-up") ?? .seconds(1), drain: parsed.seconds("--drain") ?? .seconds(5),
      users: parsed.integer("--users"), maximumInFlight: parsed.integer("--max-in-flight") ?? 100_000,
      seed: UInt64(parsed.integer("--seed") ?? 0))
    reportPath = parsed.text("--report")
    isJSON = parsed.isOn("--json")
    if condition != nil {
      for flag in ["--schedule", "--closed", "--for", "--report"] where parsed.wasGiven(flag) {
        throw FlagError("--find-limit chooses rate and duration itself; leave out \(flag).")
      }
    }
  }

  private static func scenario(
    named name: String?, in scenarios: [LoadScenario]
  ) throws(FlagError) -> LoadScenario {
    guard let first = scenarios.first else {
      throw FlagError("This program has no scenario; give MillraceLoad.main one.")
    }
    guard let name else { return first }
    guard let scenario = scenarios.first(where: { $0.name == name }) else {
      throw FlagError(
        "There is no scenario \(FlagError.quoted(name)); choose one of \(scenarios.map(\.name).joined(separator: ", "))."
      )
    }
    return scenario
  }

  private static func rate(_ parsed: ParsedFlags) throws(FlagError) -> Double? {
    guard let text = parsed.text("--rate") else { return nil }
    guard let rate = Double(text), rate > 0, rate <= 1e9 else {
      throw FlagError(flag: "--rate", needs: "a number of requests a second above 0", given: text, example: "2000")
    }
    return rate
  }

  private static func mode(
    _ parsed: ParsedFlags, rate: Double?, _ scenario: LoadScenario
  ) throws(FlagError) -> LoadOptions.Mode {
    if parsed.isOn("--closed") {
      for flag in ["--rate", "--schedule"] where parsed.wasGiven(flag) {
        throw FlagError(
          "--closed sends a request when the last one has ended, so it takes no \(flag); leave one of the two out.")
      }
      return .closed(concurrency: parsed.integer("--clients"), thinkTime: parsed.seconds("--think") ?? .zero)
    }
    for flag in ["--think", "--clients"] where parsed.wasGiven(flag) {
      throw FlagError("\(flag) belongs to --closed; add that, or leave \(flag) out.")
    }
    let shape = parsed.text("--schedule") ?? "constant"
    let makers: [String: @Sendable (Double) -> LoadSchedule] = [
      "constant": { .constant($0) }, "poisson": { .poisson($0) }, "ramp": { .ramp(from: 0, to: $0) },
      "steps": { rate in .steps((1...5).map { rate * Double($0) / 5 }) }, "spike": { .spike($0, peak: 10 * $0) },
    ]
    guard let make = makers[shape] else {
      throw FlagError(
        flag: "--schedule", needs: "constant, poisson, ramp, steps or spike", given: shape, example: "poisson")
    }
    if let rate { return .open(make(rate)) }
    guard parsed.wasGiven("--schedule") else { return .open() }
    guard case .perSecond(let rate) = scenario.rate else {
      throw FlagError("--schedule needs a rate here; write for example --rate 2000 --schedule \(shape).")
    }
    return .open(make(rate))
  }
}

extension LoadCommand {
  /// Runs the scenario, and writes the result.
  ///
  /// - Returns: the exit code.
  func run() async -> Int32 {
    let progress = ProgressLine()
    do {
      if let condition { return try await findLimit(condition, progress) }
      // Before the run, whose result would be lost otherwise.
      if let reportPath { try Data().write(to: URL(fileURLWithPath: reportPath)) }
      let report = try await endedBySignal { try await measure(progress) }
      if let reportPath { try Data(report.page.utf8).write(to: URL(fileURLWithPath: reportPath)) }
      let page = reportPath.map { ["", "The page with plots is \($0)."] } ?? []
      return finish([report.description] + page + (isJSON ? [report.json] : []), progress)
    } catch let error as CocoaError {
      progress.show("\(reportPath ?? "The report") could not be written: \(error.localizedDescription)")
      return EX_IOERR
    } catch {
      progress.show("The scenario \(scenario.name) could not begin: \(error)")
      return EX_SOFTWARE
    }
  }

  private func measure(_ progress: ProgressLine) async throws -> LoadReport {
    try options.check(for: scenario)
    progress.show("Making \(Figures.count(options.users ?? scenario.users, "user")) of \(scenario.name).")
    let session = try await LoadSession(scenario, options)
    let showing = ProgressTask(progress, duration: options.duration)
    let report = await session.run(options) { showing.begin($0) }
    showing.end()
    await session.close()
    return report
  }

  private func findLimit(_ condition: LatencyCondition, _ progress: ProgressLine) async throws -> Int32 {
    let report = try await endedBySignal {
      try await scenario.limit(of: condition, from: rate, options) { window in
        progress.show(
          "\(Figures.rate(window.rate)): \(condition) \(window.isHeld ? "held" : "broke"), "
            + "p99 \(Figures.decimal(window.report.latency.p99 / .milliseconds(1), digits: 3)) ms")
      }
    }
    return finish([report.description] + (isJSON ? [report.json] : []), progress)
  }

  /// Writes the result to standard output.
  private func finish(_ lines: [String], _ progress: ProgressLine) -> Int32 {
    lines.forEach { print($0) }
    guard fflush(nil) == 0 else {
      progress.show("Standard output cannot be written to: \(String(cString: strerror(errno)))")
      return EX_IOERR
    }
    return EXIT_SUCCESS
  }
}
