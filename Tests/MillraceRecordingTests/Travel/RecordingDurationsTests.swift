import Millrace
import MillraceTesting
import Testing

@testable import MillraceRecording

/// Durations of any length and sign, which a recorder and a playback take.
@Suite("Durations of recordings", .timeLimit(.minutes(1)))
struct RecordingDurationsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(
    "The end of a recorder and the pace of a playback take every duration",
    arguments: [
      Duration.seconds(Int64.max), .seconds(Int64.min), Duration(attoseconds: .max), Duration(attoseconds: .min),
      .seconds(-1), .zero,
    ])
  func times(_ time: Duration) async {
    let recorder = FileRecorder<Till>(initial: Till.State(), to: folder.file())
    Store(initial: Till.State(), interactor: Till(), interceptors: [recorder]).send(.add("tea", price: 2))
    _ = await recorder.finish(within: time)
    let offset = PlaybackPace.every(time).offset(at: 0, from: 0, steps: 9)
    #expect(offset >= 0 && offset <= Int64.max / 4)
  }
}
