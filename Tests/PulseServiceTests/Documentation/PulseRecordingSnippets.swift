import Foundation
import Millrace
import MillraceRecording
import MillraceTesting
import Testing

@testable import PulseService

/// The snippet of docs/recordings.md about pulse, as it stands there.
@Suite("PulseRecordingSnippets", .timeLimit(.minutes(1)))
struct PulseRecordingSnippets {
  private let file = FileManager.default.temporaryDirectory.appending(path: "pulse-\(UUID().uuidString).jsonl")

  /// Runs the handlers of a recording again, without a machine and without a network.
  static func resimulate(_ url: URL) async throws -> ResimulationReport<PulseState> {
    // snippet.pulse
    let recording = try Recording<PulseMonitor>.read(from: url)
    return await recording.resimulate(comparing: \.withoutTimes) { tape in
      PulseMonitor.fake(clock: ImmediateClock()).taped(tape)
    }
    // snippet.end
  }

  /// Records two readings, two probes that succeed, of which one reads certificates, and one that fails, two notices that arrive and one
  /// that is refused.
  private func record() async throws {
    let clock = RecordedClock()
    let endpoints = FakeEndpointGateway()
    endpoints.probes.when(.web).reply()
    endpoints.probes.when(.guarded).reply()
    endpoints.certificates.when(.guarded).reply(.expires(after: .seconds(86_400)))
    endpoints.probes.when(.database).fail(GatewayFailure.lasting("refused"))
    let webhooks = FakeWebhookGateway()
    webhooks.posts.reply()
    webhooks.posts.fail(GatewayFailure.status(404))
    webhooks.posts.reply()
    let rules = try ["memory > 0 %", "disk > 0 %", "target certificate expires within 14 days"].map {
      try AlertRule($0)
    }
    let plan = MonitoringService.Plan(endpoints: [.web, .database, .guarded], rules: rules, webhooks: [.chat])
    let recorder = PulseRecorder(plan, to: file, clock: clock)
    let monitor = PulseMonitor.fake(machine: .busy(), endpoints: endpoints, webhooks: webhooks, clock: clock)
    let store = Store(
      initial: plan.initialState, interactor: monitor.taped(recorder.tape), configuration: .fake(clock),
      interceptors: [recorder])
    let sample = store.send(.sample)
    try await clock.advance(toAlarmAt: .milliseconds(100))
    _ = await sample.outcome
    for endpoint in plan.endpoints { _ = await store.send(.probe(endpoint)).outcome }
    for owed in await store.state.owedNotices {
      _ = await store.send(.notify(.chat, Notice(change: owed.change, time: Notice.fake(1).time))).outcome
    }
    await store.shutdown()
    #expect(await recorder.finish(with: store.snapshot))
    await endpoints.finish()
    await webhooks.finish()
  }

  @Test("Handlers repeat a recorded run of pulse, with the replies that its gateways gave then")
  func same() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    try await record()
    let report = try await Self.resimulate(file)
    #expect(report.isSame, "\(report)")
    #expect(report.replies == 8)
    let strict = await (try Recording<PulseMonitor>.read(from: file)).resimulate { tape in
      PulseMonitor.fake(clock: ImmediateClock()).taped(tape)
    }
    // The sample and all probes have times in their mutations.
    #expect(strict.differences.map(\.kind) == [.mutations, .mutations, .mutations, .mutations])
  }

  @Test("A recording of pulse replays to the same states, and contains no secret of a webhook or an endpoint")
  func withoutSecrets() async throws {
    defer { try? FileManager.default.removeItem(at: file) }
    try await record()
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(!text.contains("secret"))
    #expect(text.contains("https://…@guarded.test/health?…"))
    #expect(try Recording<PulseMonitor>.replay(contentsOf: file).isSame)
  }
}

extension PulseMutation {
  /// The same without what the stopwatch has measured.
  fileprivate var withoutTimes: PulseMutation {
    switch self {
    case .read(let reading, _): .read(reading, at: .zero)
    case .probed(let endpoint, .up, _): .probed(endpoint, .up(latency: .zero), at: .zero)
    case .probed(let endpoint, let result, _): .probed(endpoint, result, at: .zero)
    case .certificateRead(let endpoint, let reading, _): .certificateRead(endpoint, reading, at: .zero)
    case .started, .sampleFailed, .probing, .probeEnded, .rulesRead, .configured, .rulesKept, .notifying, .notified,
      .notifyFailed,
      .recordingFailed:
      self
    }
  }
}
