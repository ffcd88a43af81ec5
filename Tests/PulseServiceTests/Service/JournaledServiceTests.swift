import Foundation
import Millrace
import MillraceFlags
import MillraceJournal
import MillraceRecording
import MillraceTesting
import Testing

@testable import PulseService

@Suite("MonitoringService with a journal", .timeLimit(.minutes(1)))
struct JournaledServiceTests {
  private let clock = RecordedClock()
  private let output = FakeOutput()
  private let errors = FakeOutput()
  private let journal = FakeJournal()
  private let webhooks = FakeWebhookGateway()
  private let now = Date(timeIntervalSince1970: 1_700_000_000)

  private func plan(_ change: (inout MonitoringService.Plan) -> Void = { _ in }) throws -> MonitoringService.Plan {
    var plan = MonitoringService.Plan(
      endpoints: [.web], rules: [try AlertRule("target down")], webhooks: [.chat], interval: .seconds(1000))
    change(&plan)
    return plan
  }

  private func monitor(_ plan: MonitoringService.Plan, isDown: Bool = true) -> PulseMonitor {
    let endpoints = FakeEndpointGateway()
    endpoints.probes.always { _ in if isDown { throw GatewayFailure.lasting("no") } }
    return PulseMonitor(
      machine: FakeMachineGateway.busy(), endpoints: endpoints,
      webhooks: webhooks, rules: nil,
      stopwatch: Stopwatch(clock))
  }

  /// Opens the journal as the next process does; the one before has crashed.
  private func open(
    _ plan: MonitoringService.Plan, isDown: Bool = true, recorder: PulseRecorder? = nil
  ) async throws -> Store<PulseMonitor> {
    try await plan.open(
      monitor(plan, isDown: isDown), on: journal, configuration: .fake(clock), recorder: recorder, now: now)
  }

  private func service(
    _ plan: MonitoringService.Plan, store: Store<PulseMonitor>, presentation: any Presentation = RevisionPresentation()
  ) -> MonitoringService {
    MonitoringService(
      plan, store: store, monitor: monitor(plan),
      reporter: Reporter(
        output: output, presentation: presentation, isFinalOnly: plan.isOnce, pace: .zero, clock: clock),
      complaints: errors, stop: StopRequest(), clock: clock)
  }

  /// A notifier that runs.
  private func notifier(_ store: Store<PulseMonitor>) -> (Notifier, Task<Void, Never>) {
    let notifier = Notifier(store: store, clock: clock, now: { [now] in now })
    return (notifier, Task { await notifier.run() })
  }

  /// A sample, for which the clock has to move.
  private func sample(_ store: Store<PulseMonitor>, alarmAt alarm: Duration) async throws {
    let receipt = store.send(.sample)
    try await clock.advance(toAlarmAt: alarm)
    #expect(await receipt.outcome.kind == .finished)
  }

  @Test("After a crash history and alerts are there, and what was under way has left no trace")
  func restored() async throws {
    let plan = try plan { $0.webhooks = [] }
    let first = try await open(plan)
    try await sample(first, alarmAt: .milliseconds(100))
    _ = await first.send(.probe(.web)).outcome
    let before = await first.state
    let endpoints = FakeEndpointGateway()
    let held = endpoints.probes.hold()
    let second = try await plan.open(
      .fake(endpoints: endpoints, clock: clock), on: journal, configuration: .fake(clock), now: now)
    let probe = second.send(.probe(.web))
    try await held.arrived()
    #expect(await second.state.targets.map(\.word) == ["probing"])

    let third = try await open(plan)
    let state = await third.state
    #expect(state.targets == before.targets && state.alerts == before.alerts)
    #expect(state.alerts.map(\.status.isFiring) == [true] && state.series[.memory]?.count ?? 0 >= 1)
    held.release()
    withExtendedLifetime((first, second, probe)) {}
  }

  @Test(
    "A target that was not asked, because the journal is away for as long as a probe takes, is not down; one that was asked is"
  )
  func journalAway() async throws {
    let plan = try plan()
    let endpoints = FakeEndpointGateway()
    let store = try await plan.open(
      .fake(endpoints: endpoints, webhooks: webhooks, clock: clock), on: journal, configuration: .fake(clock), now: now)
    endpoints.probes.reply()
    _ = await store.send(.probe(.web)).outcome
    let gate = Gate()
    journal.hold(at: gate)
    let waiting = store.send(.probe(.web))
    try await store.wait { $0.targets.map(\.word) == ["probing"] }
    try await gate.waitForArrivals(1)
    try await clock.advance(toAlarmAt: .seconds(2.25))
    // The probe has timed out before the journal is back, or else the handler would go on to ask.
    try await store.wait { $0.targets.map(\.word) == ["up"] }
    gate.open()
    #expect(await waiting.outcome.kind == .timedOut)
    #expect(await store.state.targets.map(\.word) == ["up"])
    #expect(await store.state.alerts.map(\.status) == [.ok] && endpoints.probes.requests.count == 1)
    let held = endpoints.probes.hold()
    let asked = store.send(.probe(.web))
    try await held.arrived()
    try await clock.advance(toAlarmAt: .seconds(4.5))
    #expect(await asked.outcome.kind == .timedOut)
    #expect(await store.state.targets.map(\.word) == ["down"])
    held.release()
    await store.shutdown()
  }

  @Test("A probe that was under way when its store ended says nothing of the probes of the next store")
  func begunAnew() async throws {
    let endpoints = FakeEndpointGateway()
    let held = endpoints.probes.hold()
    let first = PulseMonitor.fake(endpoints: endpoints, clock: clock)
    let ended = Store(initial: PulseState(), interactor: first, configuration: .fake(clock))
    let probe = ended.send(.probe(.web))
    try await held.arrived()
    #expect(first.begun(on: clock).closing(.probe(.web), outcome: .timedOut) == .probeEnded(.web))
    #expect(first.closing(.probe(.web), outcome: .timedOut) != .probeEnded(.web))
    held.release()
    _ = await probe.outcome
    await ended.shutdown()
  }

  @Test("A notice that was under way at a crash is posted again with its idempotency key, and counted")
  func postedAgain() async throws {
    let held = webhooks.posts.hold()
    webhooks.posts.reply()
    let plan = try plan()
    let first = try await open(plan)
    let (_, notifying) = notifier(first)
    _ = await first.send(.probe(.web)).outcome
    let post = try await held.arrived()
    let second = try await open(plan)
    let (_, continuing) = notifier(second)
    let state = try await second.wait { $0.receivers[0].delivered == 1 }
    #expect(state.receivers.map(\.words) == ["1 delivered, 1 failed: cut by the end of pulse"])
    #expect(webhooks.posts.requests == [post, post])
    held.release()
    notifying.cancel()
    await second.shutdown()
    await continuing.value
  }

  @Test("A reminder that was under way at a crash is posted again with its idempotency key")
  func remindedAgain() async throws {
    webhooks.posts.reply()
    let held = webhooks.posts.hold()
    webhooks.posts.reply()
    let plan = try plan { $0.rules = [try! AlertRule("target down remind every 2 s")] }
    let first = try await open(plan)
    let (_, notifying) = notifier(first)
    _ = await first.send(.probe(.web)).outcome
    try await first.wait { $0.receivers[0].delivered == 1 }
    clock.advance(by: .seconds(2))
    _ = await first.send(.probe(.web)).outcome
    let reminder = try await held.arrived()
    let second = try await open(plan)
    let (_, continuing) = notifier(second)
    try await second.wait { $0.receivers[0].delivered == 2 }
    #expect(webhooks.posts.requests.map(\.notice.change.number) == [1, 2, 2] && webhooks.posts.requests[2] == reminder)
    held.release()
    notifying.cancel()
    await second.shutdown()
    await continuing.value
  }

  @Test("A notice that was under way at a crash is not posted to a webhook that is not configured any more")
  func notConfigured() async throws {
    let held = webhooks.posts.hold()
    webhooks.posts.reply()
    let first = try await open(try plan())
    let (_, notifying) = notifier(first)
    _ = await first.send(.probe(.web)).outcome
    _ = try await held.arrived()
    let second = try await open(try plan { $0.webhooks = [.pager] })
    let (_, continuing) = notifier(second)
    // The alert fires still, which the new one is owed.
    try await second.wait { $0.receivers.map(\.words) == ["1 delivered"] }
    await second.shutdown(drainFor: .seconds(1))
    await continuing.value
    #expect(webhooks.posts.requests.map(\.webhook) == [.chat, .pager])
    held.release()
    notifying.cancel()
    await first.shutdown()
  }

  @Test(
    "A notice that a process could not deliver is posted by the next one, however the first has ended",
    arguments: [true, false])
  func owed(isShutDown: Bool) async throws {
    webhooks.posts.fail(GatewayFailure("connection refused"), times: 2)
    webhooks.posts.reply(times: 2)
    let plan = try plan()
    let first = try await open(plan)
    let (firstNotifier, notifying) = notifier(first)
    _ = await first.send(.probe(.web)).outcome
    try await clock.waitForAlarm(at: .milliseconds(500))
    if isShutDown {
      notifying.cancel()
      await notifying.value
      await firstNotifier.postLast()
      await first.shutdown(drainFor: .seconds(5))
    } else {
      try await clock.advance(toAlarmAt: .milliseconds(500))
      try await clock.waitForAlarm(at: .milliseconds(1_500))
    }
    #expect(webhooks.posts.callCount == 2)

    let second = try await open(plan, isDown: false)
    let (_, continuing) = notifier(second)
    try await second.wait { $0.receivers[0].delivered == 1 }
    // Its end is owed by a process that has not seen its beginning.
    _ = await second.send(.probe(.web)).outcome
    try await second.wait { $0.receivers[0].delivered == 2 && $0.owedNotices.isEmpty }
    #expect(webhooks.posts.requests.map(\.notice.change.isFiring) == [true, true, true, false])
    #expect(Set(webhooks.posts.requests.map(\.idempotencyKey)).count == 2)
    notifying.cancel()
    await second.shutdown()
    await continuing.value
    await webhooks.finish()
    withExtendedLifetime(first) {}
  }

  @Test("An alert that a process could not tell of, and that ends in the next one, is not told of at all")
  func ended() async throws {
    webhooks.posts.fail(GatewayFailure("connection refused"))
    let plan = try plan()
    let first = try await open(plan)
    let (_, notifying) = notifier(first)
    _ = await first.send(.probe(.web)).outcome
    try await clock.waitForAlarm(at: .milliseconds(500))
    notifying.cancel()
    await notifying.value
    let second = try await open(plan, isDown: false)
    #expect(await second.state.owedNotices.count == 1)
    _ = await second.send(.probe(.web)).outcome
    #expect(await second.state.owedNotices.isEmpty)
    #expect(await second.state.receivers[0].alerts.isEmpty)
    await webhooks.finish()
    withExtendedLifetime(first) {}
  }

  @Test("Single rounds continue one another: an alert that needs two probes fires in the second one")
  func rounds() async throws {
    let plan = try plan {
      $0.isOnce = true
      $0.webhooks = []
      $0.rules = [try! AlertRule("target down for 2 probes")]
    }
    for (round, word) in ["pending", "firing"].enumerated() {
      let store = try await open(plan)
      let running = Task { [service = service(plan, store: store)] in try await service.run() }
      try await clock.advance(toAlarmAt: .milliseconds(100 * (round + 1)))
      try await running.value
      #expect(await store.state.alerts.map(\.status.word) == [word])
      #expect(await store.state.series[.cpu]?.count == round + 1)
    }
    #expect(output.texts.recorded.count == 2)
  }

  @Test("A state is written once it is durable")
  func durable() async throws {
    let plan = try plan { $0.webhooks = [] }
    let store = try await open(plan)
    try await sample(store, alarmAt: .milliseconds(100))
    let running = Task { [service = service(plan, store: store)] in try await service.reporter.report(store.reader) }
    let written = try await output.texts.next()
    let gate = Gate()
    journal.hold(at: gate)
    let receipt = store.send(.showRecordingFailure(reason: "a"))
    try await gate.waitForArrivals(1)
    // The reporter asks for the next state behind this one, when it waits for the journal.
    try await store.wait { $0.recordingFailure == "a" }
    #expect(output.texts.recorded == [written])
    gate.open()
    #expect(await receipt.outcome.kind == .finished)
    #expect(try await output.texts.next() == "\(store.snapshot.revision)")
    await store.shutdown()
    try await running.value
  }

  @Test(
    "A journal that fails ends the service with its error, after the last durable state, and without a word of notices")
  func failing() async throws {
    let held = webhooks.posts.hold()
    let plan = try plan()
    let store = try await open(plan)
    let running = Task { [service = service(plan, store: store)] in try await service.run() }
    try await store.wait { $0.machine.reading != nil }
    try await clock.advance(toAlarmAt: .milliseconds(100))
    _ = try await held.arrived()
    var written = try await output.texts.next()
    journal.fail()
    let outcome = await store.send(.showRecordingFailure(reason: "a")).outcome
    // An entry that waited may have failed before, and then the store takes up nothing more.
    #expect(outcome.kind == .failed || outcome.rejectionKind == .journal)
    let error = await #expect(throws: JournalError.self) { try await running.value }
    #expect(error?.code == .failed)
    written = output.texts.recorded.last ?? written
    #expect(Int(written).map { $0 <= store.durableRevision ?? 0 } == true)
    #expect(errors.texts.recorded.isEmpty)
    held.release()
  }

  @Test("A journal that cannot store the start is refused")
  func refused() async throws {
    journal.fail()
    await #expect(throws: JournalError.self) { try await open(try plan()) }
  }

  @Test("A recording that begins in a restored store replays to the same states")
  func recorded() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "pulse-\(UUID().uuidString).jsonl")
    defer { try? FileManager.default.removeItem(at: file) }
    let plan = try plan { $0.webhooks = [] }
    let first = try await open(plan)
    _ = await first.send(.probe(.web)).outcome
    let recorder = PulseRecorder(plan, to: file, clock: clock)
    let second = try await open(plan, isDown: false, recorder: recorder)
    _ = await second.send(.probe(.web)).outcome
    await second.shutdown()
    #expect(await recorder.finish(with: second.snapshot))
    let report = try Recording<PulseMonitor>.replay(contentsOf: file)
    #expect(report.isSame, "\(report)")
    #expect(report.state == (await second.state) && report.state.alerts.map(\.status.word) == ["resolved"])
    withExtendedLifetime(first) {}
  }
}
