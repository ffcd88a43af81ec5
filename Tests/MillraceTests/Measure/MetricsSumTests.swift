import Testing

@testable import Millrace

@Suite("The metrics of several stores as one")
struct MetricsSumTests {
  private func metrics(
    _ number: Int, _ state: Metrics.Journal.State = .writable, log: Int? = nil, lastSnapshot: Int64?? = nil
  ) -> Metrics {
    var (times, plan) = (Histogram(), PlanFigures(name: "plan \(min(number, 2))"))
    times.record(.milliseconds(number))
    (plan.running, plan.waiting, plan.breakerRejections, plan.openBreakers) = (number, number, number, number)
    let time = Int64(number)
    return Metrics(
      sent: number, accepted: number, inFlight: number, resting: number, waiting: number, submitting: number,
      notReturned: number, retries: number, lateEmits: number, commits: 10 * number, outcomes: [.finished: number],
      rejections: [.full: number], observers: number, observerLag: number, handleTime: times, waitTime: times,
      plans: [plan], openRuns: [.running: number], oldestRunStart: time, unusedSteps: number,
      journal: Metrics.Journal(
        state: state, records: number, appendTime: times, retries: number, unsyncedRecords: number,
        oldestUnsynced: time, bufferedBytes: number, bufferLimit: number, lastAppend: time,
        logRecords: log ?? number, logBytes: log ?? number, lastSnapshot: lastSnapshot ?? time, failedSteps: number))
  }

  @Test("The counts and the gauges of stores that live are added, and each store counts only its own commits")
  func living() throws {
    var sum = MetricsSum()
    sum.add(metrics(1), since: 0)
    sum.add(metrics(2), since: 5)
    sum.add(metrics(4, .unavailable), since: 40)
    let all = sum.metrics
    #expect(all.sent == 7 && all.accepted == 7 && all.inFlight == 7 && all.resting == 7 && all.waiting == 7)
    #expect(
      all.submitting == 7 && all.notReturned == 7 && all.retries == 7 && all.lateEmits == 7 && all.unusedSteps == 7)
    #expect(all.commits == 10 + 15 + 0)
    #expect(all.outcomes == [.finished: 7] && all.rejections == [.full: 7] && all.openRuns == [.running: 7])
    #expect(all.observers == 7 && all.observerLag == 4 && all.oldestRunStart == 1)
    #expect(all.handleTime.count == 3 && all.waitTime.total == .milliseconds(7))
    #expect(all.plans.map(\.name) == ["plan 1", "plan 2"])
    #expect(all.plans.map(\.running) == [1, 6] && all.plans.map(\.waiting) == [1, 6])
    #expect(all.plans.map(\.breakerRejections) == [1, 6] && all.plans.map(\.openBreakers) == [1, 6])
    let journal = try #require(all.journal)
    #expect(journal.state == .unavailable && journal.records == 7 && journal.retries == 7)
    #expect(journal.appendTime.count == 3 && journal.unsyncedRecords == 7 && journal.oldestUnsynced == 1)
    #expect(journal.bufferedBytes == 7 && journal.bufferLimit == 7 && journal.lastAppend == 4)
    #expect(journal.logRecords == 4 && journal.logBytes == 4 && journal.lastSnapshot == 4 && journal.failedSteps == 7)
    #expect(!all.isShuttingDown)
  }

  @Test("The log since its snapshot is the longest one, with its own snapshot, because each log has a limit of its own")
  func longestLog() throws {
    var sum = MetricsSum()
    func add(_ records: Int, snapshot: Int64?, hasEnded: Bool = false) {
      sum.add(metrics(1, log: records, lastSnapshot: .some(snapshot)), since: 0, hasEnded: hasEnded)
    }
    add(50_000, snapshot: 9_000, hasEnded: true)
    #expect(sum.metrics.journal?.logRecords == 0 && sum.metrics.journal?.lastSnapshot == 9_000)
    for _ in 0..<1_000 { add(90, snapshot: nil) }
    add(200, snapshot: 4_000)
    add(100, snapshot: 8_000)
    let journal = try #require(sum.metrics.journal)
    #expect(journal.logRecords == 200 && journal.logBytes == 200 && journal.lastSnapshot == 4_000)
  }

  @Test("Only the counts of a store that has ended remain")
  func ended() throws {
    var sum = MetricsSum()
    sum.add(metrics(2, .failed), since: 5, hasEnded: true)
    let all = sum.metrics
    #expect(all.sent == 2 && all.accepted == 2 && all.retries == 2 && all.lateEmits == 2 && all.commits == 15)
    #expect(all.unusedSteps == 2)
    #expect(all.outcomes == [.finished: 2] && all.rejections == [.full: 2])
    #expect(all.handleTime.count == 1 && all.waitTime.count == 1)
    #expect(all.inFlight == 0 && all.resting == 0 && all.waiting == 0 && all.submitting == 0 && all.notReturned == 0)
    #expect(all.observers == 0 && all.observerLag == 0 && all.openRuns.isEmpty && all.oldestRunStart == nil)
    #expect(all.plans.map(\.breakerRejections) == [2] && all.plans.map(\.running) == [0])
    let journal = try #require(all.journal)
    #expect(journal.state == .writable && journal.records == 2 && journal.retries == 2 && journal.failedSteps == 2)
    #expect(journal.appendTime.count == 1 && journal.lastAppend == 2 && journal.lastSnapshot == 2)
    #expect(journal.unsyncedRecords == 0 && journal.oldestUnsynced == nil && journal.bufferedBytes == 0)
    #expect(journal.bufferLimit == 0 && journal.logRecords == 0 && journal.logBytes == 0)
  }

  @Test(
    "Stores that end, and a journal that takes no more entries, are seen in the sum, with or without a journal so far")
  func notes() {
    var sum = MetricsSum()
    #expect(sum.metrics.journal == nil)
    sum.note(isShuttingDown: true, hasFailed: false)
    #expect(sum.metrics.isShuttingDown && sum.metrics.journal == nil)
    sum.note(isShuttingDown: false, hasFailed: true)
    #expect(!sum.metrics.isShuttingDown && sum.metrics.journal?.state == .failed)
    sum.add(metrics(2), since: 0)
    sum.note(isShuttingDown: true, hasFailed: true)
    #expect(sum.metrics.journal?.state == .failed && sum.metrics.journal?.records == 2 && sum.metrics.sent == 2)
  }
}
