import Foundation
import Millrace
import Testing

@testable import MillraceRecording

@Suite("Recorded starts", .timeLimit(.minutes(1)))
struct RecordedStartTests {
  /// The wall time of a file's header.
  private func began(_ url: URL) throws -> Int64? { try Recording<Till>.read(from: url).header.began }

  @Test("A header has the wall time at which the recorder was made, also where the file continues in another one")
  func file() async throws {
    let folder = try TemporaryFolder()
    let time = Lock<Int64>(1_795_625_078_120)
    let recorder = FileRecorder<Till>(
      initial: Till.State(), to: folder.file(), bytes: 20_000,
      wallTime: {
        time.withLock { time in
          defer { time += 60_000 }
          return time
        }
      })
    let store = Store(initial: Till.State(), interactor: Till(), interceptors: [recorder])
    for price in 0..<1_000 { store.send(.add("tea", price: price)) }
    await recorder.finish()
    #expect(try folder.names() == ["till.jsonl", "till.jsonl.1"])
    for name in try folder.names() { #expect(try began(folder.file(name)) == 1_795_625_078_120) }
    #expect(try folder.lines()[0].contains(#""redacted":false,"began":"2026-11-25T16:44:38.120Z","at":"#))
  }

  @Test("A recording that is taken out of a ring has the wall time at which the recorder was made")
  func ring() throws {
    let folder = try TemporaryFolder()
    let ring = RingRecorder<Till>(initial: Till.State(), wallTime: { 1_795_625_078_120 })
    #expect(ring.recording.header.began == 1_795_625_078_120)
    try ring.recording.write(to: folder.file())
    #expect(try began(folder.file()) == 1_795_625_078_120)
  }

  @Test("Without another source the wall time is that of the system")
  func system() {
    let before = Int64(Date().timeIntervalSince1970 * 1_000)
    let began = RingRecorder<Till>(initial: Till.State()).recording.header.began
    #expect(began.map { (before...before + 3_600_000).contains($0) } == true)
  }
}
