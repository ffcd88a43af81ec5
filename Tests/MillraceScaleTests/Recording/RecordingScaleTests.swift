import Foundation
import Millrace
import Testing

@testable import MillraceRecording

@Suite("RecordingScaleTests", .serialized, .timeLimit(.minutes(5)))
struct RecordingScaleTests {
  @Test("1,000,000 commits go into a file, out of it and through a reducer with a flat memory")
  func flat() async throws {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let count = scaled(1_000_000)
      let before = peakMegabytes()
      let recorder = FileRecorder<Sum>(initial: 0, to: folder.file(), bytes: .max)
      let store = Store(initial: 0, interactor: Sum(), interceptors: [recorder])
      for number in 0..<count {
        store.send(number)
        if number % 4_096 == 4_095 { await recorder.flush() }  // So that nothing is left out.
      }
      await recorder.finish()
      #expect(recorder.missed == 0)
      let report = try Recording<Sum>.replay(contentsOf: folder.file())
      #expect(report.isSame)
      #expect(report.commits == count)
      #expect(report.comparisons == count / 256)
      #expect(report.state == count * (count - 1) / 2)
      let growth = peakMegabytes() - before
      #expect(growth < memoryLimit, "The process grew by \(growth) MB.")
    }
  }

  @Test("1,000,000 actions in a ring keep the memory flat, and the last of them can be replayed")
  func ring() async throws {
    await #expect(processExitsWith: .success) {
      let count = scaled(1_000_000)
      let before = peakMegabytes()
      let ring = RingRecorder<Sum>(initial: 0)
      let store = Store(initial: 0, interactor: Sum(), interceptors: [ring])
      for number in 0..<count { store.send(number) }
      let report = try ring.recording.replay()
      #expect(report.isSame)
      #expect(report.state == count * (count - 1) / 2)
      #expect(report.commits > 600)
      let growth = peakMegabytes() - before
      #expect(growth < memoryLimit, "The process grew by \(growth) MB.")
    }
  }
}

/// Adds numbers.
private struct Sum: Interactor {
  func decide(_ action: Int, state: Int) -> Decision<Int> { .mutate(action) }

  func handle(_ action: Int, state: Int) -> Effect<Sum> { .none }

  static func reduce(into state: inout Int, mutation: Int) { state += mutation }
}
