import Foundation
import Millrace
import MillraceJournal
import MillraceRecording
import MillraceSignals
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
      webhooks: ConfiguredWebhooks(webhooks: Set(plan.webhooks), gateway: webhooks), rules: nil,
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

  @Test("A notice that was open at a crash is posted again with its idempotency key, and its webhook counts it once")
  func postedAgain() async throws {
    let held = webhooks.posts.hold()
    webhooks.posts.reply()
    let plan = try plan()
    let first = try await open(plan)
    let notice = Notice(
      change: AlertChange(number: 1, alert: .init(rule: "target down", subject: "web"), isFiring: true), time: now)
    let receipt = first.send(.notify(.chat, notice))
    let key = try await held.arrived().idempotencyKey
    let second = try await open(plan)
    let state = try await second.wait { $0.receivers[0].delivered == 1 }
    #expect(state.receivers.map(\.words) == ["1 delivered"])
    #expect(webhooks.posts.requests.map(\.idempotencyKey) == [key, key])
    #expect(webhooks.posts.requests.map(\.notice) == [notice, notice])
    held.release()
    withExtendedLifetime((first, receipt)) {}
  }

  @Test("A notice that was open at a crash is not posted to a webhook that is not configured any more")
  func notConfigured() async throws {
    let held = webhooks.posts.hold()
    let first = try await open(try plan())
    let notice = Notice(
      change: AlertChange(number: 1, alert: .init(rule: "target down", subject: "web"), isFiring: true), time: now)
    let receipt = first.send(.notify(.chat, notice))
    _ = try await held.arrived()
    let second = try await open(try plan { $0.webhooks = [.pager] })
    await second.shutdown(drainFor: .seconds(1))
    #expect(webhooks.posts.callCount == 1)
    #expect(await second.state.receivers.map(\.words) == [""])
    held.release()
    withExtendedLifetime((first, receipt)) {}
  }

  @Test("A notice that waited at a crash is sent by the next process, and one that was posted is not")
  func waiting() async throws {
    let plan = try plan { $0.webhooks = [.chat, .pager] }
    var later = plan
    later.rules = []
    // The chat takes nothing, so its second notice of the alert waits behind the first.
    let chat = webhooks.posts.when { $0.webhook == .chat }
    let held = chat.hold()
    chat.reply(times: 2)
    webhooks.posts.when { $0.webhook == .pager }.reply(times: 3)
    let complaints = Complaints(output: errors, clock: clock)
    let first = try await open(plan)
    let notifier = Notifier(store: first, complaints: complaints) { now }
    let notifying = Task { await notifier.run() }
    _ = await first.send(.probe(.web)).outcome
    _ = try await held.arrived()
    _ = await first.send(.start(later.configuration, at: now)).outcome
    try await first.wait { $0.receivers[1].delivered == 2 }
    #expect(await first.state.receivers.map(\.waiting) == [[2], []])
    // Its turn comes when the notices of the pager have ended, and its outcome when these ends are durable.
    let posted = try #require(webhooks.posts.requests.last { $0.webhook == .pager }).notice
    #expect(await first.send(.notify(.pager, posted)).outcome.kind == .finished)

    let second = try await open(later)
    let next = Notifier(store: second, complaints: complaints) { now }
    let continuing = Task { await next.run() }
    let state = try await second.wait { $0.receivers[0].delivered == 2 }
    #expect(state.receivers.map(\.words) == ["2 delivered", "3 delivered"] && state.changes.isEmpty)
    let notices = webhooks.posts.requests.filter { $0.webhook == .chat }.map(\.notice.change)
    #expect(notices.map(\.number) == [1, 1, 2] && notices.map(\.isFiring) == [true, true, false])
    #expect(webhooks.posts.requests.filter { $0.webhook == .pager }.count == 3, "the second process posts none of them")
    held.release()
    await second.shutdown()
    await continuing.value
    notifying.cancel()
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
    let running = Task { [service = service(plan, store: store)] in try await service.reporter.report(store) }
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
    #expect(await store.send(.showRecordingFailure(reason: "a")).outcome.kind == .failed)
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
    let report = try Recording<PulseMonitor.Action, PulseMutation, PulseState>.replay(
      contentsOf: file, with: PulseMonitor.self)
    #expect(report.isSame, "\(report)")
    #expect(report.state == (await second.state) && report.state.alerts.map(\.status.word) == ["resolved"])
    withExtendedLifetime(first) {}
  }
}
