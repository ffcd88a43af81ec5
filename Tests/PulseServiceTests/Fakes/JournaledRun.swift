import Foundation
import Millrace
import MillraceJournal
import MillraceMutation
import MillraceRecording
import MillraceTesting
import Testing

@testable import PulseService

/// The journal and the recording of a service that was started twice, as by `pulse --journal FILE --record FILE`.
///
/// The journal has a snapshot with the time on the wall at which the first process began, and both have a start behind such a time.
struct JournaledRun {
  let recording: Data
  private let plan: MonitoringService.Plan
  private let records: [JournalRecord]
  private let snapshot: JournalSnapshot

  init() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "pulse-\(UUID().uuidString).jsonl")
    defer { try? FileManager.default.removeItem(at: file) }
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    let rules = try ["target down", "cpu >= 0 % for 1 s"].map { try AlertRule($0) }
    plan = MonitoringService.Plan(endpoints: [.web, .database], rules: rules, webhooks: [.chat])
    let journal = MemoryJournal()
    var options = JournalOptions()
    options.snapshotAtShutdown = true
    options.truncatesLog = false
    var second: (store: Store<PulseMonitor>, recorder: PulseRecorder)?
    for start in 0...1 {
      let clock = RecordedClock()
      let recorder = start == 1 ? PulseRecorder(plan, to: file, clock: clock) : nil
      let endpoints = FakeEndpointGateway()
      endpoints.probes.always { endpoint in if endpoint == .web { throw GatewayFailure.lasting("no") } }
      let monitor = PulseMonitor.fake(machine: .busy(), endpoints: endpoints, clock: clock)
      let store = try await plan.open(
        monitor.taped(recorder?.tape ?? .off), on: journal, configuration: .fake(clock), options: options,
        recorder: recorder, now: now)
      let sample = store.send(.sample)
      try await clock.advance(toAlarmAt: .milliseconds(100))
      _ = await sample.outcome
      for endpoint in plan.endpoints { _ = await store.send(.probe(endpoint)).outcome }
      let change = AlertChange(number: 1, alert: .init(rule: "target down", subject: Endpoint.web.name), isFiring: true)
      _ = await store.send(.notify(.chat, Notice(change: change, time: now))).outcome
      // A recording that continues a journal has a state only behind its start.
      _ = await store.send(.start(plan.configuration, at: now)).outcome
      await store.shutdown()
      if let recorder { second = (store, recorder) }
    }
    if let second { await second.recorder.finish(with: second.store.snapshot) }
    recording = try Data(contentsOf: file)
    records = try await journal.records(of: "pulse", after: .start, upTo: .max).records
    snapshot = try #require(try await journal.snapshot(of: "pulse"))
  }

  /// Opens the journal in a third process, with a snapshot or an entry that was changed by a program that knows the format.
  func openMutated(_ random: inout some RandomNumberGenerator) async throws -> Store<PulseMonitor> {
    let journal = MemoryJournal()
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let places = records.indices.filter { records[$0].entry.payload.contains(where: digits.contains) }
    let changed = Bool.random(using: &random) ? places.randomElement(using: &random) : nil
    var last = JournalSequence.start
    for (index, record) in records.enumerated() {
      var entry = record.entry
      if index == changed {
        entry = JournalEntry(
          kind: entry.kind, payload: Self.mutated(entry.payload, &random), schemaVersion: entry.schemaVersion,
          revision: entry.revision)
      }
      // Entries of one batch are stored in several here, which the reader does not look at.
      let batch = JournalBatch(id: JournalBatch.ID(writer: 1, number: UInt64(index)), entries: [entry])
      last = await journal.append([batch], to: "pulse", after: last).last
    }
    if changed == nil {
      try await journal.store(
        JournalSnapshot(
          sequence: snapshot.sequence, revision: snapshot.revision, payload: Self.mutated(snapshot.payload, &random),
          schemaVersion: snapshot.schemaVersion), of: "pulse")
    }
    let clock = RecordedClock()
    let monitor = PulseMonitor.fake(clock: clock)
    return try await plan.open(
      monitor, on: journal, configuration: StoreConfiguration(clock: clock) { _ in },
      now: Date(timeIntervalSince1970: 1_700_000_100))
  }

  private static func mutated(_ payload: [UInt8], _ random: inout some RandomNumberGenerator) -> [UInt8] {
    Array(RecordingMutator(Data(payload), keepsHashes: true).mutated(&random))
  }
}
