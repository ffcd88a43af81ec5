import Foundation
import MillraceSystem
import Testing

@Suite("MillraceSystem")
struct MillraceSystemTests {
  @Test("The number of processors is that of the process, which may use fewer than there are")
  func processors() {
    #expect(Int(millrace_processors()) == ProcessInfo.processInfo.activeProcessorCount)
  }

  @Test("The time is the one of ContinuousClock, to the nanosecond")
  func nanoseconds() {
    // The clock is read around the other one, which therefore counts no more than the clock does.
    let before = ContinuousClock.now
    let start = millrace_nanoseconds()
    var next = start
    while next == start { next = millrace_nanoseconds() }
    #expect(next > start && .nanoseconds(next - start) <= before.duration(to: .now))
  }
}
