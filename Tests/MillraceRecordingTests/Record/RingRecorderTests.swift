import Foundation
import MillraceTesting
import Testing

@testable import Millrace
@testable import MillraceRecording

@Suite("Ring recorder", .timeLimit(.minutes(1)))
struct RingRecorderTests {
  @Test("However much happens, at most so many entries are kept and at least half of them, and they can be replayed")
  func bounded() async throws {
    let ring = TillRing(initial: Till.State(), keeping: 100, checkpoint: 1_000)
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [ring])
    var sizes: Set<Int> = []
    for count in 1...400 {
      store.send(.add("tea", price: count))
      let recording = ring.recording
      if count > 100 { sizes.insert(recording.entries.count + 1) }
      let report = try recording.replay(with: Till.self)
      #expect(report.divergence == nil)
      #expect(report.state == (await store.state))
    }
    #expect(try #require(sizes.max()) <= 100)
    #expect(sizes.contains(99) || sizes.contains(100))
    #expect(try #require(sizes.min()) >= 50)
    #expect(ring.recording.start.revision > 300)
  }

  @Test("What is kept can be written and read again")
  func written() async throws {
    let folder = try TemporaryFolder()
    let ring = TillRing(initial: Till.State(), keeping: 50)
    let store = Store(initial: Till.State(), interactor: Till(tape: ring.tape), interceptors: [ring])
    for _ in 0..<30 { _ = await store.send(.look("milk")).outcome }
    try ring.recording.write(to: folder.file())
    let read = try TillRecording.read(from: folder.file())
    #expect(try read.jsonLines() == ring.recording.jsonLines())
    #expect(try read.replay(with: Till.self).state == (await store.state))
  }

  @Test("Where no commit comes the ring is full of what came first, and counts what it left out")
  func withoutCommits() async throws {
    let ring = TillRing(initial: Till.State(), keeping: 11)
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [ring])
    for _ in 0..<10 { _ = await store.send(.refuse).outcome }
    #expect(ring.recording.entries.count == 10)
    #expect(ring.missed == 10)
    store.send(.add("tea", price: 1))
    #expect(try ring.recording.replay(with: Till.self).state.total == 1)
    #expect(FileRecorderTests.kinds(ring.recording) == "end")
    #expect(ring.openCount == 0)
  }

  @Test("What the ring drops is released, and outside its lock")
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
      Ring(capacity: 8, start: RecordedState(at: 0, revision: 0, state: 0)), revision: 0, interval: 2,
      clock: ContinuousClock()
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
    #expect(released.withLock { $0 } >= 92)
  }
}
