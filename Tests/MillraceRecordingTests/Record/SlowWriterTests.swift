import Foundation
import Millrace
import MillraceTesting
import Testing

@testable import MillraceRecording

/// A recorder that is slower than its store, or cannot write at all.
@Suite("Slow writers", .timeLimit(.minutes(1)))
struct SlowWriterTests {
  private func recording(_ log: TestSink.Log) throws -> Recording<Till> {
    try Recording<Till>.read(from: log.files.reduce(Data(), +))
  }

  /// A store whose gateway never answers.
  private func waitingStore(_ recorder: FileRecorder<Till>) -> Store<Till> {
    let gate = Gate()
    let till = Till(price: { _ in
      try await gate.enter()
      return 0
    })
    return Store(initial: Till.State(), interactor: till, interceptors: [recorder])
  }

  @Test("While the writer is held, entries that do not fit are left out and counted, and the store continues")
  func gap() async throws {
    let log = TestSink.Log(isHeld: true)
    let recorder = FileRecorder<Till>(initial: Till.State(), to: log, buffer: 12)
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
    let report = try recording.replay()
    #expect(report.divergence == nil)
    #expect(report.revision == 23)
    #expect(report.state.total == 25)
  }

  @Test("Entries that a full file leaves out are counted, and a gap tells their number before the next commit")
  func leftOutOfFullFile() async throws {
    let log = TestSink.Log()
    let recorder = FileRecorder<Till>(initial: Till.State(), to: log, bytes: 1)
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [recorder])
    for _ in 0..<50 { store.send(.refuse) }
    await recorder.flush()
    #expect(recorder.missed > 0)
    store.send(.add("tea", price: 1))
    await recorder.finish()
    // The action of the commit was left out as well.
    let kinds = try FileRecorderTests.kinds(Recording<Till>.read(from: log.files[0]))
    #expect(kinds.hasSuffix(" gap of \(recorder.missed) commit 1 state"), "\(kinds)")
    #expect(log.files.count == 2)
  }

  @Test("A write that fails ends the recording, and is reported once")
  func failingWrite() async throws {
    let errors = Recorder<RecordingError>()
    let log = TestSink.Log(failure: RecordingError(.unwritable, "The disk is full; free space."))
    let recorder = FileRecorder<Till>(initial: Till.State(), to: log, report: { errors.record($0) })
    let store = waitingStore(recorder)
    store.send(.add("tea", price: 1))
    let error = try await errors.next()
    for _ in 0..<100 { store.send(.add("tea", price: 1)) }
    store.send(.look("milk"))
    #expect(recorder.isOver)
    await recorder.finish()
    #expect(
      error.description
        == "The disk is full; free space. The recording has ended here, and the store continues without it.")
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
    struct Keeper: Interactor {
      func handle(_ action: Int, state: Stubborn) -> Effect<Keeper> { .none }

      static func reduce(into state: inout Stubborn, mutation: Int) {}
    }
    let errors = Recorder<RecordingError>()
    let log = TestSink.Log()
    let recorder = FileRecorder<Keeper>(initial: Stubborn(), to: log, report: { errors.record($0) })
    await recorder.finish()
    #expect(errors.recorded.map(\.code) == [.unencodable])
    let text = try #require(errors.recorded.first?.description)
    #expect(text.hasPrefix("A value of "))
    #expect(
      text.hasSuffix(
        """
        Stubborn cannot be encoded: MillraceRecording.RecordedFailure was thrown; let it encode every value. The recording has \
        ended here, and the store continues without it.
        """))
  }

  @Test("finish returns when all is written, also a second time, and nothing is recorded after it")
  func finish() async throws {
    let log = TestSink.Log()
    let recorder = FileRecorder<Till>(initial: Till.State(), to: log)
    let store = waitingStore(recorder)
    for _ in 0..<200 { store.send(.add("tea", price: 1)) }
    await recorder.finish()
    #expect(try recording(log).entries.count == 600)
    store.send(.look("milk"))
    #expect(recorder.isOver)
    await recorder.finish()
    #expect(try recording(log).entries.count == 600)
    #expect(log.closings == 1)
  }

  @Test("flush returns when what was told before is written, though the store tells more with each write")
  func flush() async throws {
    let log = TestSink.Log(isHeld: true)
    let recorder = FileRecorder<Till>(initial: Till.State(), to: log)
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [recorder])
    defer {
      log.setWhenWritten {}  // It holds the store.
      for _ in 0..<100 { log.door.signal() }
    }
    log.setWhenWritten { store.send(.add("more", price: 1)) }
    store.send(.add("tea", price: 2))
    // The writer stands at the door, with the first part of that at least.
    log.arrivals.wait()
    let flushed = Recorder<Bool>()
    // It stands in the queue when this returns.
    let flushing = Task.immediate {
      await recorder.flush()
      flushed.record(true)
    }
    // However many writes there are, each leaves more to write.
    for _ in 0..<10 { log.door.signal() }
    #expect(try await flushed.next())
    await flushing.value
    #expect(try recording(log).entries.count >= 3)

    log.setWhenWritten {}
    for _ in 0..<100 { log.door.signal() }
    await recorder.flush()  // Behind it nothing is sent any more.
    #expect(await recorder.finish(with: store.snapshot, within: .seconds(60)))
    let report = try recording(log).replay()
    #expect(report.verdict == .same)
    #expect(report.state == (await store.state))
    #expect(recorder.missed == 0)
  }

  @Test("Where no commit comes the file stays within its size and an eighth, and tells what was left out")
  func fullWithoutCommits() async throws {
    let log = TestSink.Log()
    let recorder = FileRecorder<Till>(initial: Till.State(), to: log, bytes: 4_000)
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [recorder])
    for _ in 0..<200 { _ = await store.send(.refuse).outcome }
    await recorder.flush()
    let header = try #require(log.files[0].firstIndex(of: 0x0A)) + 1
    #expect((4_000...4_600).contains(log.files[0].count - header))
    store.send(.add("tea", price: 1))
    await recorder.finish()
    try #require(log.files.count == 2)
    let first = try Recording<Till>.read(from: log.files[0])
    let gaps = first.entries.compactMap { if case .gap(let gap) = $0 { gap.missed } else { nil } }
    #expect(gaps.count == 1)
    #expect(first.entries.count + (gaps.first ?? 0) == 404)
    #expect(try Recording<Till>.read(from: log.files[1]).start.revision == 1)
  }

  @Test("While the writer is held no more bytes wait than may, however large the states are")
  func bytes() async throws {
    let log = TestSink.Log(isHeld: true)
    let state = Till.State(customer: String(repeating: "x", count: 100_000))
    let recorder = FileRecorder<Till>(
      initial: state, to: log, bytes: .max, buffer: 10_000, bufferBytes: 1_000_000, checkpoint: 1)
    let store = Store(initial: state, interactor: Till(), interceptors: [recorder])
    store.send(.add("tea", price: 1))
    log.arrivals.wait()
    for _ in 0..<200 { store.send(.add("tea", price: 1)) }
    #expect(recorder.missed > 500)
    for _ in 0..<1_000 { log.door.signal() }
    await recorder.flush()
    store.send(.add("milk", price: 2))
    await recorder.finish()
    let recording = try recording(log)
    let states = recording.entries.count { if case .state = $0 { true } else { false } }
    #expect((10...14).contains(states))
    let report = try recording.replay()
    #expect(report.isSame)
    #expect(report.state.total == 203)
  }

  @Test("A disk that hangs delays the end no longer than the limit; the rest is written once it continues")
  func stalled() async throws {
    let errors = Recorder<RecordingError>()
    let log = TestSink.Log(isHeld: true)
    let recorder = FileRecorder<Till>(initial: Till.State(), to: log, report: { errors.record($0) })
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [recorder])
    store.send(.add("tea", price: 1))
    log.arrivals.wait()
    store.send(.add("milk", price: 2))
    let clock = TestClock()
    let finishing = Task { await recorder.finish(with: store.snapshot, clock: clock) }
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(5))
    #expect(await !finishing.value)
    #expect(
      errors.recorded.map(\.description) == [
        """
        The recording was not written to its end within 5.0 seconds: the disk is slow, or stands still. The rest is written as \
        long as the process lives; give finish(with:within:) more time where that is worth more than a quick end.
        """
      ])
    #expect(errors.recorded.map(\.code) == [.unfinished])
    for _ in 0..<10 { log.door.signal() }
    #expect(await recorder.finish())
    let report = try recording(log).replay()
    #expect(report.verdict == .same)
    #expect(report.commits == 2)
    #expect(log.closings == 1)
  }

  @Test("A gap tells the number of entries that could not be taken at the end")
  func lastGap() async throws {
    let log = TestSink.Log(isHeld: true)
    let recorder = FileRecorder<Till>(initial: Till.State(), to: log, buffer: 3)
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [recorder])
    store.send(.add("tea", price: 1))
    log.arrivals.wait()
    for _ in 0..<3 { store.send(.add("tea", price: 1)) }
    let missed = recorder.missed
    #expect(missed > 0)
    for _ in 0..<10 { log.door.signal() }
    await recorder.finish(with: store.snapshot)
    guard case .gap(let gap) = try recording(log).entries.last else {
      Issue.record("There is no gap.")
      return
    }
    #expect(gap.missed == missed)
  }
}
