import MillraceTesting
import Testing

@testable import PulseService

@Suite("JournalReading")
struct JournalReadingTests {
  @Test("A journal that is read within a second is not worth a line; then there is one a second")
  func lines() {
    let (clock, lines) = (TestClock(), Recorder<String>())
    let reading = JournalReading(clock) { lines.record($0) }
    for number in 1...10 {
      clock.advance(by: .milliseconds(400))
      reading.show(UInt64(number * 100), of: 2_000)
    }
    #expect(
      lines.recorded == [300, 600, 900].map { "pulse has read \($0) of 2000 records of its journal." })
  }
}
