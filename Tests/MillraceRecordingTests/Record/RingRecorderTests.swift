import Foundation
import MillraceTesting
import Testing

@testable import Millrace
@testable import MillraceRecording

@Suite("Ring recorder", .timeLimit(.minutes(1)))
struct RingRecorderTests {
  @Test("At most n entries are kept and nearly as many, for any number of events, and they can be replayed")
  func bounded() async throws {
    let ring = RingRecorder<Till>(initial: Till.State(), keeping: 100, checkpoint: 1_000)
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [ring])
    var sizes: Set<Int> = []
    for count in 1...400 {
      store.send(.add("tea", price: count))
      let recording = ring.recording
      if count > 100 { sizes.insert(recording.entries.count + 1) }
      let report = try recording.replay()
      #expect(report.divergence == nil)
      #expect(report.state == (await store.state))
    }
    #expect(try #require(sizes.max()) <= 100)
    #expect(sizes.contains(99) || sizes.contains(100))
    #expect(try #require(sizes.min()) >= 45)
    #expect(ring.recording.start.revision > 300)
  }

  @Test("The kept entries can be written and read again")
  func written() async throws {
    let folder = try TemporaryFolder()
    let ring = RingRecorder<Till>(initial: Till.State(), keeping: 50)
    let store = Store(initial: Till.State(), interactor: Till(tape: ring.tape), interceptors: [ring])
    for _ in 0..<30 { _ = await store.send(.look("milk")).outcome }
    try ring.recording.write(to: folder.file())
    let read = try Recording<Till>.read(from: folder.file())
    #expect(try read.jsonLines() == ring.recording.jsonLines())
    #expect(try read.replay().state == (await store.state))
  }

  @Test("Where no commit comes the ring has what came last")
  func withoutCommits() async throws {
    let ring = RingRecorder<Till>(initial: Till.State(), keeping: 16)
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [ring])
    var last: ActionID?
    for _ in 0..<100 {
      let receipt = store.send(.refuse)
      _ = await receipt.outcome
      last = receipt.id
      let entries = ring.recording.entries
      guard case .end(let end) = entries.last else {
        Issue.record("The last entry is no end.")
        return
      }
      #expect(end.run.action == last)
      #expect(entries.count < 16)
    }
    #expect(ring.recording.entries.count >= 8)
    #expect(ring.missed == 0)
    store.send(.add("tea", price: 1))
    #expect(try ring.recording.replay().state.total == 1)
  }

  @Test(
    "Where commits are rare the newest is there all the same, and what is kept can be replayed",
    arguments: [1, 2, 5, 9, 16, 31, 40])
  func rareCommits(rarity: Int) async throws {
    let ring = RingRecorder<Till>(initial: Till.State(), keeping: 32)
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [ring])
    for count in 1...200 {
      let action = count % rarity == 0 ? Till.Action.add("tea", price: count) : .refuse
      let receipt = store.send(action)
      _ = await receipt.outcome
      let recording = ring.recording
      guard case .end(let end) = recording.entries.last else {
        Issue.record("The last entry is no end.")
        return
      }
      #expect(end.run.action == receipt.id)
      #expect(recording.entries.count < 32)
      if count > 32 { #expect(recording.entries.count >= 11) }
      let report = try Recording<Till>.read(from: recording.jsonLines()).replay()
      #expect(report.state == (await store.state))
      #expect(report.divergence == nil)
    }
  }

  @Test("Entries left out between commits are told by a gap at the beginning, with those missed before")
  func gap() {
    typealias Ring = EntryRing<Int, Int, Int>
    var ring = Ring(capacity: 16, start: RecordedState(at: 0, revision: 0, state: 0))
    let run = RunID(store: 1, action: ActionID(number: 5))
    func end() -> Ring.Entry { .end(RecordedEnd(at: 1, run: run, outcome: .finished)) }
    _ = ring.add(nil, .commit(RecordedCommit(at: 1, revision: 1, run: run, mutation: 1)), nil)
    for _ in 0..<20 { _ = ring.add(nil, end(), nil) }
    _ = ring.add(RecordedGap(at: 2, missed: 5), end(), nil)
    for _ in 0..<20 { _ = ring.add(nil, end(), nil) }
    guard case .gap(let gap) = ring.segments[0].entries[0], case .commit = ring.segments[0].entries[1] else {
      Issue.record("The ring does not begin with a gap and the commit.")
      return
    }
    #expect(gap.missed + ring.segments[0].entries.count - 2 == 46)
  }

  @Test("A commit behind a gap brings its gap along, however full the ring is", arguments: 0..<40)
  func latecomer(before: Int) async throws {
    let ring = RingRecorder<Till>(initial: Till.State(), keeping: 16)
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [ring])
    for _ in 0..<before { store.send(.refuse) }
    store.setInterceptors([])
    for _ in 0..<5 { store.send(.add("tea", price: 1)) }
    store.setInterceptors([ring])
    store.send(.add("tea", price: 1))
    let recording = try Recording<Till>.read(from: ring.recording.jsonLines())
    #expect(try recording.replay().state.total == 6)
    #expect(recording.entries.count < 16)
  }

  @Test("The ring releases dropped entries, outside its lock")
  func released() throws {
    final class Token: Codable, Sendable {
      let gone: @Sendable () -> Void
      init(_ gone: @escaping @Sendable () -> Void) { self.gone = gone }
      init(from decoder: any Decoder) throws { gone = {} }
      func encode(to encoder: any Encoder) throws {}
      deinit { gone() }
    }
    typealias Ring = EntryRing<Int, Token, Int>
    let released = Lock(0)
    let intake = RecordingIntake(
      Ring(capacity: 16, start: RecordedState(at: 0, revision: 0, state: 0)), revision: 0, interval: 2,
      clock: ContinuousClock(), errorText: { "\($1)" }
    ) { _, _ in }
    let run = RunID(store: 1, action: ActionID(number: 5))
    let cause = Cause(action: 0, context: RunContext(run: run, parent: nil, root: run, trace: nil))
    for revision in 1...100 {
      let token = Token {
        released.withLock { $0 += 1 }
        #expect(intake.missed == 0)  // It would wait for itself if the lock were held.
      }
      intake.committed(token, revision: revision, cause: cause, state: revision)
    }
    #expect(released.withLock { $0 } >= 84)
  }
}
