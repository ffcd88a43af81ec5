import Foundation
import Millrace
import MillraceJournal
import MillraceMutation
import MillraceRecording
import MillraceTesting
import Testing

@testable import PulseService

/// About one mutated recording in a hundred trapped: a series that began beyond its ring, a counter near the largest number, a
/// time that no clock shows.
@Suite("Mutated recordings of pulse", .timeLimit(.minutes(60)))
struct MutatedRecordingTests {
  /// `MILLRACE_MUTATIONS` files, or 1,000.
  private static var count: Int {
    ProcessInfo.processInfo.environment["MILLRACE_MUTATIONS"].flatMap { Int($0) } ?? 1_000
  }

  @Test("Each is read, replayed and shown, or refused in a sentence with the number of a line")
  func mutated() async throws {
    try mutate(Self.recording(), Self.count)
    try mutate(await JournaledRun().recording, Self.count / 2)
  }

  @Test("A journal with a mutated entry is opened, or refused with an error")
  func mutatedJournals() async throws {
    let run = try await JournaledRun()
    var random = SeededGenerator(seed: 11)
    var (opened, refused) = (0, 0)
    for _ in 0..<Self.count / 5 {
      do {
        let store = try await run.openMutated(&random)
        await store.shutdown()
        let snapshot = await store.snapshot
        #expect(!LinePresentation().text(snapshot).isEmpty && !JSONPresentation().text(snapshot).isEmpty)
        opened += 1
      } catch let error as JournalError {
        #expect(!error.description.isEmpty)
        refused += 1
      }
    }
    #expect(opened > Self.count / 100 && refused > Self.count / 100, "\(opened) opened, \(refused) refused")
  }

  /// Reads a number of mutants of a recording.
  private func mutate(_ original: Data, _ count: Int) throws {
    #expect(try Recording<PulseMonitor>.read(from: original).replay().isSame)
    let mutators = [false, true].map { RecordingMutator(original, keepsHashes: $0) }
    var random = SeededGenerator(seed: 10)
    var read = 0
    var refused = 0
    for _ in 0..<count {
      let file = mutators[Int.random(in: 0...3, using: &random) == 0 ? 1 : 0].mutated(&random)
      do throws(RecordingError) {
        try Self.use(try Recording<PulseMonitor>.read(from: file, acceptsCutEnd: Bool.random(using: &random)))
        read += 1
      } catch {
        refused += 1
        let isWhole = error.description.last == "." && error.description.first?.isUppercase == true
        #expect(isWhole && (error.line != nil || file.isEmpty), "\(error)")
      }
    }
    // Mutations that are all noticed, or none of them, would show nothing.
    #expect(read > count / 20 && refused > count / 20, "\(read) read, \(refused) refused")
  }

  /// Replays a recording as `pulse recording replay` does, and shows its values as a page and the outputs do.
  private static func use(_ recording: Recording<PulseMonitor>) throws(RecordingError) {
    do {
      let report = try recording.replay()
      let snapshot = Snapshot(revision: report.revision, state: report.state)
      #expect(!LinePresentation().text(snapshot).isEmpty && !JSONPresentation().text(snapshot).isEmpty)
      #expect(!Table(width: 80, isASCII: true).rows(snapshot).isEmpty)
    } catch let error as RecordingError {
      throw error
    } catch {
      Issue.record("A state that was decoded can be encoded: \(error)")
    }
    for entry in recording.entries {
      switch entry {
      case .action(let action): #expect(!ValueText.of(action.action, limit: 200).isEmpty)
      case .commit(let commit): #expect(!ValueText.of(commit.mutation, limit: 200).isEmpty)
      case .state(let state): #expect(!ValueText.of(state.state, limit: 2_000).isEmpty)
      case .call, .rest, .step, .end, .gap: break
      }
    }
  }

  /// A recording with an entry of every kind, and with each kind of action and mutation.
  private static func recording() throws -> Data {
    let down = try AlertRule("target down for 2 probes")
    let rules = [
      down, try AlertRule("cpu >= 0 % for 1 s"), try AlertRule("http://web.test/ slower than 1 ms"),
      try AlertRule("target certificate expires within 14 d until 2 successes remind every 1 s"),
    ]
    let start = PulseState(rules: rules, webhooks: [.chat, .pager], historyLimit: 2)
    let name = Alert.Name(rule: down.text, subject: Endpoint.database.name)
    let change = AlertChange(number: 1, alert: name, isFiring: true, value: 0, reason: "refused")
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    let notice = Notice(change: change, time: now)
    let configuration = Configuration(endpoints: [.web, .database], rules: rules, webhooks: [.chat, .pager])
    let actions: [PulseMonitor.Action] = [
      .start(configuration, at: now), .sample, .probe(.web), .readRules, .notify(.chat, notice),
      .showRecordingFailure(reason: "moved"),
    ]
    let mutations: [PulseMutation] = [
      .started(configuration, at: now), .read(.fake(), at: .zero), .read(.fake(busy: 40, total: 100), at: .seconds(1)),
      .probing(.database),
      .probed(.database, .down(reason: "refused"), at: .seconds(1)),
      .probed(.database, .down(reason: "refused"), at: .seconds(2)),
      .probed(.web, .up(latency: .milliseconds(2), status: 200), at: .seconds(2)), .probeEnded(.web),
      .certificateRead(.guarded, .expires(after: .seconds(1)), at: .seconds(2)),
      .certificateRead(.guarded, .expires(after: .seconds(1)), at: .seconds(3)),
      .certificateRead(.guarded, .unreadable, at: .seconds(3)), .sampleFailed(reason: "no /proc"),
      .notifying(.chat, notice), .notified(.chat, change),
      .notifying(.pager, notice),
      .notifyFailed(.pager, change, reason: "status 500", mayHaveArrived: true),
      .rulesRead(rules.dropLast()), .configured(configuration),
      .rulesKept(reason: "no such file"), .recordingFailed(reason: "moved"),
      .read(.fake(busy: 80, total: 200), at: .seconds(3)), .read(.fake(busy: 90, total: 300), at: .seconds(4)),
    ]
    var entries: [Recording<PulseMonitor>.Entry] = []
    func run(_ number: Int) -> RunID { RunID(store: 1, action: ActionID(number: UInt64(number))) }
    for (number, action) in actions.enumerated() {
      entries.append(
        .action(
          RecordedAction(
            at: 1, run: run(number), parent: number > 0 ? run(0) : nil, root: run(0), trace: nil, isAccepted: true,
            action: action)))
    }
    entries.append(
      .call(RecordedCall(at: 2, took: 1, run: run(1), name: "probe", request: "\"a\"", reply: .reply("{}"))))
    entries.append(.rest(RecordedRest(at: 2, run: run(1), attempt: 1, duration: 1)))
    var state = start
    for (index, mutation) in mutations.enumerated() {
      state.apply(mutation)
      entries.append(.commit(RecordedCommit(at: 3, revision: index + 1, run: run(0), mutation: mutation)))
      if index % 6 == 5 {
        entries.append(.state(RecordedState(at: 3, revision: index + 1, state: state)))
      }
    }
    entries.append(.end(RecordedEnd(at: 4, run: run(0), outcome: .finished)))
    entries.append(.gap(RecordedGap(at: 5, missed: 1)))
    let header = RecordingHeader(of: PulseMonitor.self, isRedacted: true)
    return try Recording<PulseMonitor>(
      header: header, start: RecordedState(at: 0, revision: 0, state: start), entries: entries
    ).jsonLines()
  }
}
