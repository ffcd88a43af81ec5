import Foundation
import Millrace
import MillraceFlags
import MillraceInspector

/// The command line of a load program, read and checked.
struct LoadCommand: Sendable {
  /// The exit code of a run for which a condition of `--fail-if` holds, or in which no request finished.
  static let failureCode: Int32 = 4

  let scenario: LoadScenario
  let options: LoadOptions
  let condition: LatencyCondition?
  /// The longest that a search for the limit takes; nil where there is no limit.
  let longestSearch: Duration?
  /// The conditions under which a run ends with ``failureCode``.
  let failConditions: [FailCondition]
  /// The first rate of a search for the limit.
  private let rate: Double?
  let reportPath: String?
  let isJSON: Bool
  /// The port of the pages that show the run; nil for no pages.
  let metricsPort: Int?

  static func flags(command: String, _ scenarios: [LoadScenario], others: [Flag] = []) -> Flags {
    let names = scenarios.map { $0.summary.isEmpty ? $0.name : "\($0.name) (\($0.summary))" }.joined(separator: ", ")
    return Flags(
      command: command, summary: "Loads a system, and reports how long its requests take.",
      notes: ["Requests by HTTP go to the target itself: proxies of the environment are ignored."],
      exitCodes: [
        ExitCode(0, "the run has ended"),
        ExitCode(failureCode, "no request has finished, or a condition of --fail-if holds"),
        .usage, ExitCode(69, "the port of --metrics cannot be used"), ExitCode(70, "the scenario has failed"),
        ExitCode(74, "the page or standard output cannot be written"),
        ExitCode(128, "with the number of a second signal added: that one has ended it at once"),
      ],
      [
        .text("--scenario", "NAME", example: scenarios.first?.name, help: "what is loaded: \(names)")
      ] + others + [
        .text("--rate", "N", example: "2000", help: "requests a second, or the first rate of --find-limit"),
        .text(
          "--schedule", "SHAPE", example: "poisson",
          help: "constant, poisson, ramp (from 0 to the rate), steps (a fifth more each) or spike (ten times the rate)"),
        .toggle("--closed", help: "send a request when the last one has ended, instead of on a schedule"),
        .seconds("--think", canBeZero: true, help: "time a client of --closed waits between two requests (default 0)"),
        .integer("--clients", in: 1...1_000_000, help: "clients of --closed (default one a user)"),
        .integer("--users", in: 1...10_000_000, help: "virtual users, each with a store of its own"),
        .seconds("--for", help: "the measured part (default 10)"),
        .seconds("--warm-up", canBeZero: true, help: "time before it that is not counted; 0 is none (default 1)"),
        .seconds(
          "--drain", canBeZero: true, help: "time to wait for requests in flight at the end; 0 is none (default 5)"),
        .integer("--max-in-flight", in: 1...100_000_000, help: "most requests in flight (default 100000)"),
        .integer("--seed", in: 0...Int.max, help: "where random gaps and choices come from (default 0)"),
        .text(
          "--find-limit", "CONDITION", example: "'p99<=10ms'", help: "find the highest rate at which this holds"),
        .seconds("--at-most", example: "60", help: "the longest that --find-limit takes (default until it is found)"),
        .texts(
          "--fail-if", "CONDITION", example: "'failed > 1 %'",
          help: "exit with 4 if this holds; a run in which no request finished always does"),
        .inspectorPort("--metrics"),
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
    var failConditions: [FailCondition] = []
    for text in parsed.texts("--fail-if") { failConditions.append(try FailCondition(text)) }
    self.failConditions = failConditions
    reportPath = parsed.text("--report")
    isJSON = parsed.isOn("--json")
    metricsPort = try parsed.inspectorPort("--metrics", product: "load")
    longestSearch = parsed.seconds("--at-most")
    if condition == nil, longestSearch != nil {
      throw FlagError("--at-most belongs to --find-limit; add that, or leave --at-most out.")
    }
    if condition != nil {
      for flag in ["--schedule", "--closed", "--for", "--report"] where parsed.wasGiven(flag) {
        throw FlagError("--find-limit chooses rate and duration itself; leave out \(flag).")
      }
      guard failConditions.isEmpty else {
        throw FlagError(
          "--find-limit looks for a rate that is too high, so it takes no --fail-if; leave one of the two out.")
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
      throw FlagError(
        flag: "--rate", needs: "a number of requests a second above 0 and up to 1000000000", given: text,
        example: "2000")
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
    let progress = StatusLine.standardError
    let inspection: LoadInspection
    do throws(InspectorError) {
      inspection = try LoadInspection(port: metricsPort)
    } catch {
      progress.writeLine("The scenario \(scenario.name) does not begin without its pages. \(error)")
      return EX_UNAVAILABLE
    }
    let code = await run(progress, inspection)
    await inspection.close()
    return code
  }

  private func run(_ progress: StatusLine, _ inspection: LoadInspection) async -> Int32 {
    do {
      if let condition { return try await findLimit(condition, progress, inspection) }
      // Before the run, whose result would be lost otherwise.
      let file = try reportPath.map { path throws(ReportFile.Failure) in try ReportFile(path) }
      let report = try await endedBySignal { try await measure(progress, inspection) }
      var page: [String] = []
      if let file {
        do throws(ReportFile.Failure) {
          try file.write(report.page)
          page = ["", "The page with plots is \(file.name)."]
        } catch {
          _ = finish([report.description] + (isJSON ? [report.json] : []), progress)
          throw error
        }
      }
      let code = finish([report.description] + page + (isJSON ? [report.json] : []), progress)
      return code == EXIT_SUCCESS ? judge(report, progress) : code
    } catch let error as ReportFile.Failure {
      progress.writeLine(error.description)
      return EX_IOERR
    } catch {
      progress.writeLine("The scenario \(scenario.name) could not begin: \(error)")
      return EX_SOFTWARE
    }
  }

  private func measure(_ progress: StatusLine, _ inspection: LoadInspection) async throws -> LoadReport {
    try options.check(for: scenario)
    progress.writeLine("Making \(Figures.count(options.users ?? scenario.users, "user")) of \(scenario.name).")
    let session = try await LoadSession(scenario, options)
    show(session, in: inspection, progress)
    let showing = ProgressTask(progress) { [duration = options.duration] in ProgressTask.text($0, of: duration) }
    let origin = LoadOrigin.now(target: scenario.target)
    var report = try await session.run(options) { read in
      inspection.follow(read)
      showing.begin(read)
    }
    report.origin = origin
    showing.end()
    await session.close()
    return report
  }

  /// Shows the users, and says where.
  private func show(_ session: LoadSession, in inspection: LoadInspection, _ progress: StatusLine) {
    inspection.show(session)
    if let address = inspection.address { progress.writeLine("The run is shown at \(address).") }
  }

  private func findLimit(
    _ condition: LatencyCondition, _ progress: StatusLine, _ inspection: LoadInspection
  ) async throws -> Int32 {
    let origin = LoadOrigin.now(target: scenario.target)
    var report = try await endedBySignal {
      let showing = Lock<ProgressTask?>(nil)
      return try await scenario.limit(of: condition, from: rate, atMost: longestSearch, options) { event in
        switch event {
        case .made(let session): show(session, in: inspection, progress)
        case .began(let window, let read):
          let task = ProgressTask(progress) { [warmUp = options.warmUp] in window.text($0, warmUp: warmUp) }
          showing.withLock { $0 = task }
          inspection.follow(read)
          task.begin(read)
        case .ended(let window):
          showing.withLock { $0 }?.end()
          let p99 = window.report.latency.p99.map { "p99 \(Histogram.text($0))" } ?? "no request finished"
          progress.writeLine("\(Figures.rate(window.rate)): \(condition) \(window.outcome), \(p99)")
        }
      }
    }
    report.origin = origin
    let code = finish([report.description] + (isJSON ? [report.json] : []), progress)
    guard code == EXIT_SUCCESS, report.isWithoutSuccess else { return code }
    progress.writeLine("No request finished in any window, so there is nothing to judge; see that the target works.")
    return Self.failureCode
  }

  /// Shows a sentence for each reason to call the run a failure.
  ///
  /// - Returns: the exit code.
  private func judge(_ report: LoadReport, _ progress: StatusLine) -> Int32 {
    var sentences = failConditions.compactMap { $0.sentence(for: report) }
    if report.isWithoutSuccess {
      let offered = Figures.count(report.counts.offered, "request")
      sentences.insert("No request finished, of \(offered) that were due; see that the target works.", at: 0)
    }
    sentences.forEach(progress.writeLine)
    return sentences.isEmpty ? EXIT_SUCCESS : Self.failureCode
  }

  /// Writes the result to standard output.
  private func finish(_ lines: [String], _ progress: StatusLine) -> Int32 {
    lines.forEach { print($0) }
    // A reader that has seen enough, as `head` has, is no failure.
    guard fflush(nil) == 0 || errno == EPIPE else {
      progress.writeLine("Standard output cannot be written to: \(String(cString: strerror(errno)))")
      return EX_IOERR
    }
    return EXIT_SUCCESS
  }
}
