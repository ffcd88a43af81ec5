import Foundation
import Millrace
import MillraceTesting
import Testing

@testable import MillraceRecording

/// What a recorder does that is slower than its store, or that cannot write at all.
@Suite("Slow writers", .timeLimit(.minutes(1)))
struct SlowWriterTests {
  private func recording(_ log: TestSink.Log) throws -> TillRecording {
    try TillRecording.read(from: log.files.reduce(Data(), +))
  }

  /// A store whose gateway never answers.
  private func waitingStore(_ recorder: TillRecorder) -> Store<Till> {
    let gate = Gate()
    let till = Till(price: { _ in
      try await gate.enter()
      return 0
    })
    return Store(initial: Till.State(), interactor: till, interceptors: [recorder])
  }

  @Test("While the writer is held, what does not fit is left out and counted, and the store goes on")
  func gap() async throws {
    let log = TestSink.Log(isHeld: true)
    let recorder = TillRecorder(initial: Till.State(), to: log, buffer: 12)
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [recorder])
    store.send(.add("tea", price: 1))
    // The writer stands at the door, and does not take anything out of the buffer.
    log.arrivals.wait()
    for _ in 0..<20 { store.send(.add("tea", price: 1)) }
    #expect(await store.state.total == 21)
    let missed = recorder.missed
    #expect(missed > 0)
    for _ in 0..<10 { log.door.signal() }
    log.arrivals.wait()  // The buffer was taken.
    store.send(.add("milk", price: 2))
    store.send(.add("milk", price: 2))
    await recorder.finish()

    let recording = try recording(log)
    let gaps = recording.entries.compactMap { if case .gap(let gap) = $0 { gap.missed } else { nil } }
    #expect(gaps == [missed])
    #expect(recorder.missed == missed)
    #expect(recording.entries.count - gaps.count + missed == 70)  // The state behind the gap is one more.
    let report = try recording.replay(with: Till.self)
    #expect(report.divergence == nil)
    #expect(report.revision == 23)
    #expect(report.state.total == 25)
  }

  @Test("A write that fails ends the recording, and is reported once")
  func failingWrite() async throws {
    let errors = Recorder<RecordingError>()
    let log = TestSink.Log(failure: RecordingError(.unwritable, "The disk is full; free space."))
    let recorder = TillRecorder(initial: Till.State(), to: log, report: { errors.record($0) })
    let store = waitingStore(recorder)
    store.send(.add("tea", price: 1))
    let error = try await errors.next()
    for _ in 0..<100 { store.send(.add("tea", price: 1)) }
    store.send(.look("milk"))
    #expect(recorder.openCount == 0)  // Nothing is taken any more.
    await recorder.finish()
    #expect(
      error.description
        == "The disk is full; free space. The recording has ended here, and the store goes on without it.")
    #expect(errors.recorded.count == 1)
    #expect(log.closings == 1)
    #expect(await store.state.total == 101)
  }

  @Test("A value that cannot be encoded ends the recording with a sentence that names its type")
  func unencodable() async throws {
    struct Stubborn: Codable, Sendable {
      init() {}
      init(from decoder: any Decoder) throws {}
      func encode(to encoder: any Encoder) throws { throw RecordedFailure("no") }
    }
    let errors = Recorder<RecordingError>()
    let log = TestSink.Log()
    let recorder = FileRecorder<Till.Action, Till.Mutation, Stubborn>(
      initial: Stubborn(), to: log, report: { errors.record($0) })
    await recorder.finish()
    #expect(errors.recorded.map(\.code) == [.unencodable])
    let text = try #require(errors.recorded.first?.description)
    #expect(text.hasPrefix("A value of "))
    #expect(
      text.hasSuffix(
        """
        Stubborn cannot be encoded: no; let it encode every value. The recording has ended here, and the store goes on without it.
        """))
  }

  @Test("finish returns when all is written, also a second time, and nothing is recorded after it")
  func finish() async throws {
    let log = TestSink.Log()
    let recorder = TillRecorder(initial: Till.State(), to: log)
    let store = waitingStore(recorder)
    for _ in 0..<200 { store.send(.add("tea", price: 1)) }
    await recorder.finish()
    #expect(try recording(log).entries.count == 600)
    store.send(.look("milk"))
    #expect(recorder.openCount == 0)
    await recorder.finish()
    #expect(try recording(log).entries.count == 600)
    #expect(log.closings == 1)
  }

  @Test("Where no commit comes the file stays within its size and an eighth, and tells what was left out")
  func fullWithoutCommits() async throws {
    let log = TestSink.Log()
    let recorder = TillRecorder(initial: Till.State(), to: log, bytes: 4_000)
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [recorder])
    for _ in 0..<200 { _ = await store.send(.refuse).outcome }
    await recorder.flush()
    #expect((4_000...4_600).contains(log.files[0].count))
    store.send(.add("tea", price: 1))
    await recorder.finish()
    try #require(log.files.count == 2)
    let first = try TillRecording.read(from: log.files[0])
    let gaps = first.entries.compactMap { if case .gap(let gap) = $0 { gap.missed } else { nil } }
    #expect(gaps.count == 1)
    #expect(first.entries.count + (gaps.first ?? 0) == 404)
    #expect(try TillRecording.read(from: log.files[1]).start.revision == 1)
  }
}
