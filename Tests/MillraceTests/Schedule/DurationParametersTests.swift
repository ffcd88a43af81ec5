import Foundation
import MillraceTesting
import Testing

@testable import Millrace

/// Durations of any length and sign, which every public parameter takes.
@Suite("Durations of callers", .timeLimit(.minutes(1)))
struct DurationParametersTests {
  typealias Action = ScriptedInteractor.Action

  static let extremes: [Duration] = [
    .seconds(Int64.max), .seconds(Int64.min), Duration(attoseconds: .max), Duration(attoseconds: .min), .seconds(-1),
    .zero,
  ]

  /// The public parameters of type `Duration` of all libraries, and the suite that gives each the extremes.
  static let suites: [String: [String]] = [
    "DurationParametersTests": [
      "Millrace/Feedback.every(interval)", "Millrace/Histogram.count(bound)", "Millrace/Histogram.record(duration)",
      "Millrace/Plan.attemptTimeout(timeout)", "Millrace/Plan.debounce(interval)", "Millrace/Plan.spacing(interval)",
      "Millrace/Plan.throttle(interval)", "Millrace/Plan.timeout(timeout)", "Millrace/Retry.constant(delay)",
      "Millrace/Retry.exponential(initial)", "Millrace/Retry.exponential(maximum)", "Millrace/Retry.init(openFor)",
      "Millrace/Retry.init(refill)", "Millrace/Retry.init(within)", "Millrace/Run+Rests.sleep(duration)",
      "Millrace/Run+Rests.wait(timeout)",
      "Millrace/StepRetry.init(timeout)",
      "Millrace/StateReader.wait(timeout)", "Millrace/Store+Observation.wait(timeout)",
      "Millrace/Store.run(time)", "Millrace/Store.shutdown(time)",
    ],
    "PaceDurationsTests": [
      "MillraceOperators/AsyncSequence+Pace.debounce(interval)",
      "MillraceOperators/AsyncSequence+Pace.throttle(interval)",
    ],
    "ReconcilerDurationsTests": ["MillraceReconcile/Reconciler.init(timeout)"],
    "TestingDurationsTests": [
      "MillraceTesting/DrivenStream.ended(timeout)", "MillraceTesting/DrivenStream.opened(timeout)",
      "MillraceTesting/FakeCall.waitForCalls(timeout)", "MillraceTesting/Gate.waitForArrivals(timeout)",
      "MillraceTesting/HeldCall.arrived(timeout)", "MillraceTesting/ImmediateClock.sleep(tolerance)",
      "MillraceTesting/Recorder.next(timeout)", "MillraceTesting/SimulatedTrait.simulated(time)",
      "MillraceTesting/Simulation.run(time)", "MillraceTesting/TestClock+Deadlines.advance(limit)",
      "MillraceTesting/TestClock+Deadlines.advance(timeout)",
      "MillraceTesting/TestClock+Deadlines.advanceToNextDeadline(timeout)",
      "MillraceTesting/TestClock+Deadlines.run(duration)", "MillraceTesting/TestClock+Deadlines.run(limit)",
      "MillraceTesting/TestClock+Deadlines.run(timeout)", "MillraceTesting/TestClock.advance(duration)",
      "MillraceTesting/TestClock.advanced(duration)", "MillraceTesting/TestClock.init(offset)",
      "MillraceTesting/TestClock.sleep(tolerance)", "MillraceTesting/TestClock.waitForSleepers(timeout)",
      "MillraceTesting/TestStore.init(timeout)", "MillraceTesting/UnimplementedClock.sleep(tolerance)",
      "MillraceTesting/World+Stores.eventually(time)", "MillraceTesting/World.duration(range)",
      "MillraceTesting/World.eventually(time)",
    ],
    "FakeLatencyTests": [
      "MillraceTesting/FakeFaults.exponential(mean: Duration)", "MillraceTesting/FakeFaults.fixed(Duration)",
      "MillraceTesting/FakeFaults.uniform(ClosedRange<Duration>)",
    ],
    "FakeFaultsTests": ["MillraceTesting/FakeFaults.patience"],
    "RecordingDurationsTests": [
      "MillraceRecording/FileRecorder.finish(limit)", "MillraceRecording/RecordingPlayback.every(Duration)",
    ],
    "InspectorDurationsTests": [
      "MillraceInspector/Inspector.beginShutdown(delay)", "MillraceInspector/InspectorOptions.answerLimit",
      "MillraceInspector/InspectorOptions.checkLimit", "MillraceInspector/InspectorOptions.livenessLimit",
      "MillraceInspector/ServiceManager.extendTimeout(time)",
    ],
    "JournalDurationsTests": [
      "MillraceJournal/JournalCheck.run(patience)", "MillraceJournal/JournalOptions.deadline",
      "MillraceJournal/JournalOptions.keptForReaders", "MillraceJournal/JournalOptions.rememberedTime",
      "MillraceJournal/MemoryJournal+Share.join(lease)", "MillraceJournal/MemoryJournal+Share.renew(lease)",
      "MillraceJournal/Stores+End.run(time)",
      "MillraceJournal/Stores+End.shutdown(time)", "MillraceJournal/Stores+Open.open(lease)",
      "MillraceJournal/Stores+State.wait(timeout)",
      "MillraceJournal/StoresLimits.init(idle)",
    ],
    "PostgresDurationsTests": [
      "MillracePostgres/PostgresJournal+Share.join(lease)", "MillracePostgres/PostgresJournal+Share.renew(lease)",
      "MillracePostgres/PostgresOptions.deadline", "MillracePostgres/PostgresOptions.pollingInterval",
    ],
  ]

  /// A load run refuses what it cannot do, in `LoadOptions.check(for:)`; `LoadOptionsTests` has the limits.
  static let checked = "MillraceLoad/"

  // MARK: The parameters

  @Test("Each public parameter of type Duration is in the list of those that are tried")
  func allAreListed() throws {
    let listed = Set(Self.suites.values.joined())
    let declared = try Set(DeclaredDurations.all()).filter { !$0.hasPrefix(Self.checked) }
    for name in declared.subtracting(listed).sorted() {
      Issue.record(
        "\(name) is not tried: clamp it, add it to a list of DurationParametersTests, and a call to that suite.")
    }
    for name in listed.subtracting(declared).sorted() { Issue.record("There is no \(name); remove it from the list.") }
    for (suite, _) in Self.suites {
      #expect(throws: Never.self) { try DeclaredDurations.checkSuite(suite) }
    }
  }

  // MARK: The core

  @Test("A plan takes every duration", arguments: extremes)
  func plans(_ time: Duration) async throws {
    let plans: [Plan] = [
      .concurrent.timeout(time), .concurrent.attemptTimeout(time), .serial(key: "spaced").spacing(time),
      .latest(key: "debounced").debounce(time), .latest(key: "throttled").throttle(time),
      .latest(key: "late").throttle(time, leading: false),
      .concurrent.retry(2, backoff: .constant(time)),
      .concurrent.retry(2, backoff: .exponential(initial: time, maximum: time)),
      .concurrent.retry(2, budget: .init(capacity: 1, refill: time)),
      .serial(key: "broken").breaker(.init(failures: 1, within: time, openFor: time)),
    ]
    let clocks: [any Clock<Duration>] = [ContinuousClock(), SuspendingClock(), TestClock(), ImmediateClock()]
    for clock in clocks {
      let store = Store<ScriptedInteractor>(StoreConfiguration(clock: clock))
      for plan in plans {
        store.send(Action.commit("a").planned(plan))
        store.send(Action.handle { _ in throw Asking(retryAfter: time) }.planned(plan))
        store.send(Action.handle { run in run.emit("b") }.planned(plan))
        store.send(
          .handle { run in
            try? await run.step("a", retry: StepRetry(attempts: 2, backoff: .constant(time), timeout: time)) { _ in
              throw Asking(retryAfter: time)
            }
            _ = try? await run.wait("b", timeout: time) { $0.log.isEmpty ? 1 : nil }
            try? await run.sleep("c", for: time)
          })
      }
      await store.shutdown(drainFor: .zero)
    }
  }

  @Test("Waits, ends, timers and histograms take every duration", arguments: extremes)
  func others(_ time: Duration) async throws {
    let clocks: [any Clock<Duration>] = [ContinuousClock(), SuspendingClock(), ImmediateClock()]
    for clock in clocks {
      let store = Store(
        initial: ClosureInteractor.State(), interactor: ClosureInteractor(),
        configuration: StoreConfiguration(clock: clock),
        feedbacks: clock is ImmediateClock ? [] : [.every(time < .zero ? .seconds(1) : time) { .count(1) }])
      _ = try await store.wait(until: { _ in true }, timeout: time)
      _ = try await store.reader.wait(until: { _ in true }, timeout: time)
      _ = try await store.reader.scope(\.count).wait(until: { _ in true }, timeout: time)
      let service = Task { await store.run(drainFor: time) }
      service.cancel()
      await service.value
      await store.shutdown(drainFor: time)
    }
    let clock = TestClock()
    let store = Store(
      initial: ClosureInteractor.State(), interactor: ClosureInteractor(),
      configuration: StoreConfiguration(clock: clock), feedbacks: [.every(time) { .increment }])
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(1 << 40))
    _ = try await store.wait(until: { $0.count > 0 })
    await store.shutdown()
    var histogram = Histogram()
    histogram.record(time)
    #expect(histogram.count(upTo: time) <= 1)
    #expect(time.bounded >= .zero && time.bounded <= .seconds(80 * 366 * 86_400))
  }
}

/// An error that asks for a delay.
private struct Asking: Error, RetryAfter {
  let retryAfter: Duration?
}

/// The public parameters of type `Duration`, as the sources declare them.
enum DeclaredDurations {
  /// The names, each with the library and the file.
  static func all() throws -> [String] {
    let package = try RepositoryFile.text("Package.swift")
    return try package.matches(of: /\.library\(name: "(\w+)"/).flatMap { library in
      try RepositoryFile.names(in: "Sources", suffix: ".swift").filter { $0.contains("/\(library.1)/") }.flatMap {
        path in
        let file = path.split(separator: "/").last.map { $0.dropLast(6) } ?? ""
        return names(in: try RepositoryFile.text(path)).map { "\(library.1)/\(file).\($0)" }
      }
    }
  }

  /// The names in the text of a file.
  static func names(in text: String) -> [String] {
    let code = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
      .replacing("Clock<Duration>", with: "Clock")
    var names: [String] = []
    for declaration in code.matches(of: /public [^{}=\n]*?(?:func (\w+)|(init))\b[^{}]*\{/) {
      let name = declaration.1 ?? declaration.2 ?? ""
      for parameter in declaration.0.matches(of: /(\w+): (?:ClosedRange<)?Duration/) {
        names.append("\(name)(\(parameter.1))")
      }
    }
    for property in code.matches(of: /public var (\w+)(?:: Duration\??)? = (?:Duration|\.)?[^\n]*/)
    where property.0.contains("Duration") {
      names.append("\(property.1)")
    }
    for type in code.matches(of: /public (?:indirect )?enum [^\n]*\{\n((?:  [^\n]*\n|\n)*)/) {
      for payload in type.1.matches(of: /case (\w+)\(([^\n]*\bDuration\b[^\n]*)\)/) {
        names.append("\(payload.1)(\(payload.2))")
      }
    }
    return names
  }

  /// Fails if there is no such suite.
  static func checkSuite(_ suite: String) throws {
    struct Missing: Error {}
    let paths = try RepositoryFile.names(in: "Tests", suffix: "/\(suite).swift")
    if paths.isEmpty { throw Missing() }
  }
}
