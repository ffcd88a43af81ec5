import Millrace
import Testing

@testable import MillraceRecording

@Suite("Recorded steps", .timeLimit(.minutes(1)))
struct RecordedStepTests {
  /// A recording of a call and a commit, with steps between its entries.
  private func recording() async throws -> Recording<Till> {
    let ring = RingRecorder<Till>(initial: Till.State(), checkpoint: 1)
    let store = Store(initial: Till.State(), interactor: Till(tape: ring.tape), interceptors: [ring])
    _ = await store.send(.look("tea")).outcome
    let whole = ring.recording
    guard case .action(let action) = try #require(whole.entries.first) else { return whole }
    let run = action.run
    let steps = whole.entries.flatMap { entry in
      [entry, .step(RecordedStep(at: entry.at, run: run, name: "charge", result: .failure("{}")))]
    }
    return Recording<Till>(header: whole.header, start: whole.start, entries: steps)
  }

  @Test("A replay and a cursor pass over steps; a resimulation says which ones no handler has asked for")
  func passedOver() async throws {
    let recording = try await recording()
    let report = try recording.replay()
    #expect(report.isSame && report.comparisons == 2)
    var cursor = try RecordingCursor(recording)
    try cursor.go(to: 2)
    #expect(cursor.state == Till.State(total: 3, articles: ["tea"]))
    let other = recording.entries.filter { if case .step = $0 { false } else { true } } + recording.entries.suffix(1)
    let changed = Recording<Till>(header: recording.header, start: recording.start, entries: other)
    let resimulated = await changed.resimulate(patience: .seconds(60)) { Till(price: { _ in 0 }, tape: $0) }
    #expect(resimulated.differences.map(\.kind) == [.unusedReply])
    #expect(resimulated.differences.first?.description.contains(#"did not ask for the step "charge" again"#) == true)
  }

  @Test("A ring drops steps before commits, as it does what else is no commit")
  func dropped() {
    let run = RunID(store: 1, action: ActionID(number: 5))
    var ring = EntryRing<Int, Int, Int>(capacity: 16, start: RecordedState(at: 0, revision: 0, state: 0))
    for revision in 1...7 {
      _ = ring.add(nil, .commit(RecordedCommit(at: 0, revision: revision, run: run, mutation: 0)), nil)
      for _ in 0..<4 { _ = ring.add(nil, .step(RecordedStep(at: 0, run: run, name: "a", result: .value("1"))), nil) }
    }
    let commits = ring.segments.flatMap(\.entries).compactMap {
      if case .commit(let commit) = $0 { commit } else { nil }
    }
    #expect(commits.map(\.revision) == Array(1...7))
  }
}
