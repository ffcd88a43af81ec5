import MillraceTesting
import Testing

@testable import Millrace

@Suite("Metrics")
struct MetricsTests {
  /// A snapshot in which every number is another one.
  private func metrics(
    handleTime: [Int64] = [], waitTime: [Int64] = [], journal: Metrics.Journal? = nil
  ) -> Metrics {
    var (handle, wait) = (Histogram(), Histogram())
    for value in handleTime { handle.record(nanoseconds: value) }
    for value in waitTime { wait.record(nanoseconds: value) }
    return Metrics(
      sent: 1_001, accepted: 990, inFlight: 3, resting: 2, waiting: 4, submitting: 5, notReturned: 6, retries: 7,
      lateEmits: 8,
      commits: 9_000_000_000_000_000_009, outcomes: [.finished: 900, .rejected: 11, .timedOut: 12],
      rejections: [.full: 10, .breakerOpen: 1], observers: 13, observerLag: 14, handleTime: handle, waitTime: wait,
      openRuns: [.turn: 15, .running: 16], oldestRunStart: 1_700_000_000_250, unusedSteps: 17, journal: journal)
  }

  /// The line of the number of observers, or of another sample that is not a family's second.
  private func line(of name: String = "observers", in text: String) -> String? {
    text.split(separator: "\n").first { !$0.hasPrefix("#") && $0.contains(name) }.map { String($0) }
  }

  @Test("The text has every number of the snapshot, and every outcome and reason, exactly so")
  func theTextIsExact() {
    let metrics = metrics(handleTime: [1_000, 1_200_000, 3_400_000_001, 200_000_000_000], waitTime: [])
    #expect(metrics.openMetrics() == goldenText)
  }

  @Test(
    "Every line is valid, whatever the prefix and the labels are",
    arguments: [
      ("millrace", [:]),
      ("", ["service": "orders"]),
      ("9 lives: ümlaut\n", ["9": "", "": "x", "ä": "y", "a b": "z", "__name__": "w"]),
      (
        "a",
        [
          "le": "1", "outcome": "2", "reason": "3", "state": "5", "le_": "4", "path": "C:\\x", "quote": "\"",
          "feed": "a\r\nb",
        ]
      ),
    ] as [(String, [String: String])])
  func everyLineIsValid(prefix: String, labels: [String: String]) {
    let checker = OpenMetricsChecker(
      metrics(handleTime: [5, 7_000_000], waitTime: [1]).openMetrics(prefix: prefix, labels: labels))
    #expect(checker.problems == [])
    #expect(checker.samples.count == 99)
    for sample in checker.samples {
      #expect(Set(labels.values).isSubset(of: sample.labels.map(\.value)), "\(sample)")
    }
  }

  @Test(
    "The checker finds what is wrong",
    arguments: [
      ("# EOF", ["the text does not end with a line feed", "the last line is not # EOF"]),
      ("# TYPE a gauge\n", ["the last line is not # EOF"]),
      ("# TYPE a gauges\n# EOF\n", ["type: # TYPE a gauges"]),
      ("# TYPE a gauge\n# UNIT a seconds\n# EOF\n", ["unit: # UNIT a seconds"]),
      ("# TYPE a counter\n# HELP a A.\na 1\n# EOF\n", ["not of its family: a 1"]),
      ("# TYPE a gauge\n# HELP a A.\na 1.\n# EOF\n", ["sample: a 1."]),
      ("# TYPE a gauge\n# HELP a A.\na{b=\"\"\"} 1\n# EOF\n", ["labels: a{b=\"\"\"} 1"]),
      ("# TYPE a gauge\n# HELP a A.\na{b=\"\\x\"} 1\n# EOF\n", ["labels: a{b=\"\\x\"} 1"]),
      ("# TYPE a gauge\n# HELP a A.\na{b=\"\",b=\"\"} 1\n# EOF\n", ["a label occurs twice: a{b=\"\",b=\"\"} 1"]),
      ("# TYPE a gauge\n# HELP a A.\na{c=\"\",b=\"\"} 1\n# EOF\n", ["labels out of order: a{c=\"\",b=\"\"} 1"]),
      ("# TYPE a gauge\n\n# EOF\n", ["sample: "]),
      ("# TYPE a gauge\na 1\na 2\n# EOF\n", ["a series occurs twice: a 2"]),
      ("# TYPE a gauge\n# HELP a \"A\".\n# EOF\n", ["help is not escaped: # HELP a \"A\"."]),
      ("# TYPE a counter\n# TYPE a_total gauge\n# EOF\n", ["names clash: # TYPE a_total gauge"]),
    ])
  func theCheckerFindsWhatIsWrong(text: String, problems: [String]) {
    #expect(OpenMetricsChecker(text).problems == problems)
  }

  @Test("Buckets have growing bounds and counts, and the last is +Inf and the count")
  func bucketsAreCumulative() throws {
    var random = SeededGenerator(seed: 3)
    let values = (0..<5_000).map { _ in random.nanoseconds(below: .max) }
    let samples = OpenMetricsChecker(metrics(handleTime: values, waitTime: [3]).openMetrics()).samples
    for family in ["millrace_handle_time_seconds", "millrace_wait_time_seconds"] {
      let buckets = samples.filter { $0.name == family + "_bucket" }
      let counts = buckets.compactMap { Int($0.value) }
      #expect(counts.count == 26)
      #expect(counts == counts.sorted())
      let bounds = try buckets.map { try #require(Double($0.label("le") ?? "")) }
      #expect(zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 })
      #expect(buckets.last?.label("le") == "+Inf")
      #expect(samples.first { $0.name == family + "_count" }?.value == buckets.last?.value)
    }
    #expect(samples.first { $0.name == "millrace_handle_time_seconds_count" }?.value == "5000")
  }

  @Test("A duration that equals a bound is counted at it and at no bound below")
  func durationsAreCountedAtTheirBounds() throws {
    var bounds: [Int64] = [1_000, 2_500, 5_000]
    while bounds.count < 25 { bounds.append(bounds[bounds.count - 3] * 10) }
    for (index, bound) in bounds.enumerated() {
      let buckets = OpenMetricsChecker(metrics(handleTime: [bound]).openMetrics()).samples
        .filter { $0.name == "millrace_handle_time_seconds_bucket" }
      #expect(buckets.map(\.value) == (0..<26).map { $0 < index ? "0" : "1" }, "\(bound) ns")
      let seconds = try #require(Double(buckets[index].label("le") ?? ""))
      #expect((seconds * 1e9).rounded() == Double(bound))
    }
  }

  @Test(
    "Labels are sorted by name, and those of the text are in their places",
    arguments: [
      (["zone": "b", "app": "a"], "p_actions_ended_total{app=\"a\",outcome=\"finished\",zone=\"b\"} 900"),
      (["b": "1", "B": "2", "_": "3"], "p_actions_ended_total{B=\"2\",_=\"3\",b=\"1\",outcome=\"finished\"} 900"),
      (["outcome": "x"], "p_actions_ended_total{outcome=\"finished\",outcome_=\"x\"} 900"),
      (["le": "x", "le_": "y"], "p_actions_ended_total{le_=\"y\",le__=\"x\",outcome=\"finished\"} 900"),
    ] as [([String: String], String)])
  func labelsAreSorted(labels: [String: String], line: String) {
    #expect(self.line(of: "actions_ended", in: metrics().openMetrics(prefix: "p", labels: labels)) == line)
  }

  @Test(
    "Label values are escaped, scalar by scalar",
    arguments: [
      ("plain", "plain"), ("", ""), ("\\", "\\\\"), ("\"", "\\\""), ("\n", "\\n"), ("\\n", "\\\\n"),
      ("a\r\nb", "a\r\\nb"), ("\"\u{301}", "\\\"\u{301}"), ("ünï 😀", "ünï 😀"), ("\t", "\t"),
    ])
  func labelValuesAreEscaped(value: String, escaped: String) {
    let text = metrics().openMetrics(prefix: "p", labels: ["a": value])
    let line = text.unicodeScalars.split(separator: "\n").first { String($0).hasPrefix("p_observers{") }
    #expect(line.map { Array($0) } == Array("p_observers{a=\"\(escaped)\"} 13".unicodeScalars))
  }

  @Test(
    "Names of labels that are not legal are made legal, and stay apart",
    arguments: [
      (["a-b": "1"], "a_b=\"1\""),
      (["a-b": "1", "a_b": "2"], "a_b=\"2\",a_b_=\"1\""),
      (["a b": "1", "a-b": "2"], "a_b=\"1\",a_b_=\"2\""),
      (["9a": "1"], "_9a=\"1\""),
      (["a9": "1"], "a9=\"1\""),
      (["a:b": "1"], "a_b=\"1\""),
      (["": "1"], "_=\"1\""),
      (["é": "1"], "_=\"1\""),
      (["__name__": "1"], "_name__=\"1\""),
      (["le": "1"], "le_=\"1\""),
      (["a\r\nb": "1"], "a__b=\"1\""),
    ] as [([String: String], String)])
  func namesOfLabelsAreMadeLegal(labels: [String: String], text: String) {
    #expect(line(in: metrics().openMetrics(prefix: "p", labels: labels)) == "p_observers{\(text)} 13")
  }

  @Test(
    "A prefix that is not legal is made legal, and an empty one is none",
    arguments: [
      ("millrace", "millrace_observers"), ("", "observers"), ("my-app", "my_app_observers"),
      ("1st", "_1st_observers"), ("a:b", "a_b_observers"), ("ü", "__observers"),
    ])
  func aPrefixIsMadeLegal(prefix: String, name: String) {
    #expect(line(in: metrics().openMetrics(prefix: prefix)) == "\(name) 13")
  }

  @Test(
    "Seconds are written in decimals and exactly",
    arguments: [
      (Duration.zero, "0.0"), (.nanoseconds(1), "0.000000001"), (.nanoseconds(100), "0.0000001"),
      (.milliseconds(300), "0.3"), (.seconds(1), "1.0"), (.nanoseconds(1_000_000_001), "1.000000001"),
      (.seconds(100), "100.0"), (.seconds(9_007_199_254) + .nanoseconds(740_993_001), "9007199254.740993001"),
      (.seconds(Int64.max), "9223372036854775807.0"),
    ] as [(Duration, String)])
  func secondsAreExact(duration: Duration, text: String) {
    #expect(OpenMetricsText.seconds(duration) == text)
  }

  @Test("A text of several stores has each family once, with the lines of each store that has it")
  func severalStores() {
    let journaled = metrics(waitTime: [7], journal: Metrics.Journal(state: .unavailable, records: 5))
    let stores = [(["store": "carts"], metrics()), (["store": "orders", "zone": "b"], journaled)]
    let text = Metrics.openMetrics(
      of: stores, labels: ["store": "x", "site": "north"],
      adding: [.gauge("own", 1, labels: ["zone": "c"], help: "Own.")])
    let checker = OpenMetricsChecker(text)
    #expect(checker.problems == [])
    let alone = OpenMetricsChecker(journaled.openMetrics()).samples.count
    #expect(checker.samples.count == 99 + alone + 1)
    #expect(text.contains(#"millrace_journal_records_total{site="north",store="x",store_="orders",zone="b"} 5"#))
    #expect(!text.contains(#"millrace_journal_records_total{site="north",store="x",store_="carts"}"#))
    #expect(text.contains(#"own{site="north",store="x",zone="c"} 1"#))
    for sample in checker.samples where sample.name == "millrace_wait_time_seconds_count" {
      #expect(sample.value == (sample.label("store_") == "orders" ? "1" : "0"))
    }
  }

  @Test("A family of the program's own keeps its name, whether a store has the family of that name now or not")
  func reservedNames() {
    let own = [Metrics.Series.gauge("journal_last_append", 1, unit: "seconds", help: "Own.")]
    for journal in [nil, Metrics.Journal(state: .writable), Metrics.Journal(state: .writable, lastAppend: 5)] {
      let text = metrics(journal: journal).openMetrics(prefix: "", adding: own)
      #expect(text.contains("journal_last_append__seconds 1\n"))
      #expect(OpenMetricsChecker(text).problems == [])
    }
  }

  @Test("A label of a store without a value is left out, as the format does not tell it from a missing one")
  func emptyLabel() {
    let text = Metrics.openMetrics(of: [(["store": "a", "zone": ""], metrics())])
    #expect(text.contains("millrace_observers{store=\"a\"} 13\n"))
  }

  @Test("A store is shutting down from the beginning of its shutdown on")
  func shuttingDown() async throws {
    let gate = Gate()
    let store = Store(initial: ScriptedInteractor.State(), interactor: ScriptedInteractor())
    #expect(await store.metrics.openMetrics().contains("millrace_shutting_down 0\n"))
    store.send(.handle { _ in try await gate.enter() })
    try await gate.waitForArrivals(1)
    let report = Task.immediate { await store.shutdown(drainFor: .seconds(60)) }
    #expect(await store.send(.commit("late")).outcome.rejectionKind == .shuttingDown)
    #expect(await store.metrics.openMetrics().contains("millrace_shutting_down 1\n"))
    gate.open()
    _ = await report.value
    #expect(await store.metrics.isShuttingDown)
  }

  @Test("A text of no store has only the program's own metrics")
  func noStore() {
    #expect(Metrics.openMetrics(of: []) == "# EOF\n")
    let text = Metrics.openMetrics(of: [], labels: ["site": "north"], adding: [.gauge("own", 1, help: "Own.")])
    #expect(text == "# TYPE own gauge\n# HELP own Own.\nown{site=\"north\"} 1\n# EOF\n")
  }

  @Test("The text has every number of a journal")
  func journal() {
    var appendTime = Histogram()
    appendTime.record(nanoseconds: 2_000_000)
    let journal = Metrics.Journal(
      state: .failed, records: 1, appendTime: appendTime, retries: 2, unsyncedRecords: 3, oldestUnsynced: 4_000,
      bufferedBytes: 5, bufferLimit: 6, lastAppend: 7_250, logRecords: 8, logBytes: 9, lastSnapshot: 10_000,
      failedSteps: 11)
    let lines = metrics(journal: journal).openMetrics(prefix: "").split(separator: "\n")
      .filter { !$0.hasPrefix("#") && $0.contains("journal") && !$0.contains("_bucket") && !$0.contains("reason=") }
    #expect(
      lines == [
        "journal_records_total 1", "journal_failed_steps_total 11", "journal_append_time_seconds_count 1",
        "journal_append_time_seconds_sum 0.002", "journal_retries_total 2", "journal_unsynced_records 3",
        "journal_buffer_bytes 5", "journal_buffer_limit_bytes 6", "journal_oldest_unsynced_seconds 4.0",
        "journal_last_append_seconds 7.25", "journal_log_records 8", "journal_log_bytes 9",
        "journal_last_snapshot_seconds 10.0", #"journal_state{state="writable"} 0"#,
        #"journal_state{state="unavailable"} 0"#, #"journal_state{state="failed"} 1"#,
      ])
    #expect(!metrics(journal: Metrics.Journal(state: .writable)).openMetrics().contains("last_append"))
  }
}

private let goldenText = """
  # TYPE millrace_actions_sent counter
  # HELP millrace_actions_sent Actions given to the store.
  millrace_actions_sent_total 1001
  # TYPE millrace_actions_ended counter
  # HELP millrace_actions_ended Actions that ended, by how they did.
  millrace_actions_ended_total{outcome="finished"} 900
  millrace_actions_ended_total{outcome="failed"} 0
  millrace_actions_ended_total{outcome="cancelled"} 0
  millrace_actions_ended_total{outcome="superseded"} 0
  millrace_actions_ended_total{outcome="timedOut"} 12
  millrace_actions_ended_total{outcome="rejected"} 11
  millrace_actions_ended_total{outcome="shutDown"} 0
  millrace_actions_ended_total{outcome="abandoned"} 0
  millrace_actions_ended_total{outcome="leftOpen"} 0
  # TYPE millrace_actions_rejected counter
  # HELP millrace_actions_rejected Actions that were rejected, by the reason.
  millrace_actions_rejected_total{reason="full"} 10
  millrace_actions_rejected_total{reason="exclusive"} 0
  millrace_actions_rejected_total{reason="throttled"} 0
  millrace_actions_rejected_total{reason="breakerOpen"} 1
  millrace_actions_rejected_total{reason="shuttingDown"} 0
  millrace_actions_rejected_total{reason="intercepted"} 0
  millrace_actions_rejected_total{reason="notHandled"} 0
  millrace_actions_rejected_total{reason="invalidPlan"} 0
  millrace_actions_rejected_total{reason="journal"} 0
  millrace_actions_rejected_total{reason="decided"} 0
  millrace_actions_rejected_total{reason="missingChild"} 0
  millrace_actions_rejected_total{reason="notSent"} 0
  millrace_actions_rejected_total{reason="erased"} 0
  millrace_actions_rejected_total{reason="notOwner"} 0
  # TYPE millrace_actions_in_flight gauge
  # HELP millrace_actions_in_flight Actions whose handler runs, or waits for its next attempt.
  millrace_actions_in_flight 3
  # TYPE millrace_actions_resting gauge
  # HELP millrace_actions_resting Actions whose handler sleeps or waits in a step, without a slot.
  millrace_actions_resting 2
  # TYPE millrace_actions_waiting gauge
  # HELP millrace_actions_waiting Actions that wait for a slot, their key's turn or their plan's time.
  millrace_actions_waiting 4
  # TYPE millrace_open_runs gauge
  # HELP millrace_open_runs Runs that have not ended, by what they do or wait for.
  millrace_open_runs{stage="pace"} 0
  millrace_open_runs{stage="turn"} 15
  millrace_open_runs{stage="slot"} 0
  millrace_open_runs{stage="running"} 16
  millrace_open_runs{stage="resting"} 0
  millrace_open_runs{stage="unreadable"} 0
  # TYPE millrace_oldest_run_start_seconds gauge
  # UNIT millrace_oldest_run_start_seconds seconds
  # HELP millrace_oldest_run_start_seconds Time at which the oldest run was accepted whose handler is out.
  millrace_oldest_run_start_seconds 1700000000.25
  # TYPE millrace_shutting_down gauge
  # HELP millrace_shutting_down 1 once the store takes no more actions.
  millrace_shutting_down 0
  # TYPE millrace_submits_suspended gauge
  # HELP millrace_submits_suspended Callers of submit that are suspended.
  millrace_submits_suspended 5
  # TYPE millrace_handlers_not_returned gauge
  # HELP millrace_handlers_not_returned Handlers of ended runs that have not returned.
  millrace_handlers_not_returned 6
  # TYPE millrace_retries counter
  # HELP millrace_retries Attempts beyond the first of a run.
  millrace_retries_total 7
  # TYPE millrace_late_emits counter
  # HELP millrace_late_emits Mutations emitted by runs that had ended, and dropped.
  millrace_late_emits_total 8
  # TYPE millrace_unused_steps counter
  # HELP millrace_unused_steps Stored steps that runs which were handled again finished without.
  millrace_unused_steps_total 17
  # TYPE millrace_commits counter
  # HELP millrace_commits Mutations committed.
  millrace_commits_total 9000000000000000009
  # TYPE millrace_handle_time_seconds histogram
  # UNIT millrace_handle_time_seconds seconds
  # HELP millrace_handle_time_seconds Time from the start of a handler to its return.
  millrace_handle_time_seconds_bucket{le="1e-06"} 1
  millrace_handle_time_seconds_bucket{le="2.5e-06"} 1
  millrace_handle_time_seconds_bucket{le="5e-06"} 1
  millrace_handle_time_seconds_bucket{le="1e-05"} 1
  millrace_handle_time_seconds_bucket{le="2.5e-05"} 1
  millrace_handle_time_seconds_bucket{le="5e-05"} 1
  millrace_handle_time_seconds_bucket{le="0.0001"} 1
  millrace_handle_time_seconds_bucket{le="0.00025"} 1
  millrace_handle_time_seconds_bucket{le="0.0005"} 1
  millrace_handle_time_seconds_bucket{le="0.001"} 1
  millrace_handle_time_seconds_bucket{le="0.0025"} 2
  millrace_handle_time_seconds_bucket{le="0.005"} 2
  millrace_handle_time_seconds_bucket{le="0.01"} 2
  millrace_handle_time_seconds_bucket{le="0.025"} 2
  millrace_handle_time_seconds_bucket{le="0.05"} 2
  millrace_handle_time_seconds_bucket{le="0.1"} 2
  millrace_handle_time_seconds_bucket{le="0.25"} 2
  millrace_handle_time_seconds_bucket{le="0.5"} 2
  millrace_handle_time_seconds_bucket{le="1.0"} 2
  millrace_handle_time_seconds_bucket{le="2.5"} 2
  millrace_handle_time_seconds_bucket{le="5.0"} 3
  millrace_handle_time_seconds_bucket{le="10.0"} 3
  millrace_handle_time_seconds_bucket{le="25.0"} 3
  millrace_handle_time_seconds_bucket{le="50.0"} 3
  millrace_handle_time_seconds_bucket{le="100.0"} 3
  millrace_handle_time_seconds_bucket{le="+Inf"} 4
  millrace_handle_time_seconds_count 4
  millrace_handle_time_seconds_sum 203.401201001
  # TYPE millrace_wait_time_seconds histogram
  # UNIT millrace_wait_time_seconds seconds
  # HELP millrace_wait_time_seconds Time from the acceptance of an action to the start of its first handler.
  millrace_wait_time_seconds_bucket{le="1e-06"} 0
  millrace_wait_time_seconds_bucket{le="2.5e-06"} 0
  millrace_wait_time_seconds_bucket{le="5e-06"} 0
  millrace_wait_time_seconds_bucket{le="1e-05"} 0
  millrace_wait_time_seconds_bucket{le="2.5e-05"} 0
  millrace_wait_time_seconds_bucket{le="5e-05"} 0
  millrace_wait_time_seconds_bucket{le="0.0001"} 0
  millrace_wait_time_seconds_bucket{le="0.00025"} 0
  millrace_wait_time_seconds_bucket{le="0.0005"} 0
  millrace_wait_time_seconds_bucket{le="0.001"} 0
  millrace_wait_time_seconds_bucket{le="0.0025"} 0
  millrace_wait_time_seconds_bucket{le="0.005"} 0
  millrace_wait_time_seconds_bucket{le="0.01"} 0
  millrace_wait_time_seconds_bucket{le="0.025"} 0
  millrace_wait_time_seconds_bucket{le="0.05"} 0
  millrace_wait_time_seconds_bucket{le="0.1"} 0
  millrace_wait_time_seconds_bucket{le="0.25"} 0
  millrace_wait_time_seconds_bucket{le="0.5"} 0
  millrace_wait_time_seconds_bucket{le="1.0"} 0
  millrace_wait_time_seconds_bucket{le="2.5"} 0
  millrace_wait_time_seconds_bucket{le="5.0"} 0
  millrace_wait_time_seconds_bucket{le="10.0"} 0
  millrace_wait_time_seconds_bucket{le="25.0"} 0
  millrace_wait_time_seconds_bucket{le="50.0"} 0
  millrace_wait_time_seconds_bucket{le="100.0"} 0
  millrace_wait_time_seconds_bucket{le="+Inf"} 0
  millrace_wait_time_seconds_count 0
  millrace_wait_time_seconds_sum 0.0
  # TYPE millrace_observers gauge
  # HELP millrace_observers Observers of the store.
  millrace_observers 13
  # TYPE millrace_observer_lag_revisions gauge
  # UNIT millrace_observer_lag_revisions revisions
  # HELP millrace_observer_lag_revisions Revisions that the slowest observer is behind.
  millrace_observer_lag_revisions 14
  # EOF

  """
