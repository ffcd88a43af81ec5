import MillraceFlags
import MillraceTesting
import Testing

@testable import MillraceCommand
@testable import MillraceJournal

@Suite("The progress of reading a log")
struct LogProgressTests {
  private let screen = Recorder<String>()

  @Test("The pages of a log before the last one are shown on a line, which is removed, also after a failure")
  func pages() async throws {
    let line = StatusLine(columns: { 300 }) { [screen] in screen.record($0) }
    let progress = LogProgress(of: "orders", line: line)
    let answer = await progress.showing { show in
      for sequence in [7, 9] as [JournalSequence] { show(JournalProgress(sequence: sequence, last: 9)) }
      return 5
    }
    #expect(answer == 5)
    #expect(screen.recorded == ["\r\u{1B}[Krecord 7 of 9 of 'orders'", "\r\u{1B}[K"])
    await #expect(throws: CancellationError.self) {
      try await progress.showing { _ in throw CancellationError() }
    }
    #expect(screen.recorded.count == 3)
  }

  @Test("Where no line can be written over, nothing is written")
  func pipe() async {
    let line = StatusLine(columns: nil) { [screen] in screen.record($0) }
    await LogProgress(of: "orders", line: line).showing { $0(JournalProgress(sequence: 1, last: 9)) }
    #expect(screen.recorded.isEmpty)
  }
}
