import Millrace
import Testing

@testable import MillraceRecording

/// The time of a handler, which begins with the reply it got last, however far the resimulation is.
@Suite("Run times")
struct RunTimesTests {
  private let run = RunTimesTests.id(1)
  private let child = RunTimesTests.id(2)
  private let other = RunTimesTests.id(3)
  private var times = RunTimes()

  private static func id(_ number: UInt64) -> RunID { RunID(store: 1, action: ActionID(number: number)) }

  @Test("A run begins when it is accepted, and then goes by what it was given")
  mutating func given() {
    #expect(times[run] == nil)
    times.accepted(run, by: nil, at: 3)
    #expect(times[run] == 3)
    times.goesOn(run, at: 7)
    #expect(times[run] == 7)
    times.ended(run, of: nil, at: 8)
    #expect(times[run] == nil)
  }

  @Test("An action that it sends is accepted and ends in steps of the sender")
  mutating func sender() {
    times.accepted(run, by: nil, at: 1)
    times.accepted(child, by: run, at: 2)
    #expect(times[run] == 2)
    times.goesOn(child, at: 5)
    #expect(times[run] == 2)
    times.ended(child, of: run, at: 6)
    #expect(times[run] == 6)
    times.ended(run, of: nil, at: 7)
    times.accepted(child, by: nil, at: 8)
    times.ended(child, of: run, at: 9)
    #expect(times[run] == nil)
  }

  @Test("Of a run that may have waited for another one, or for an alarm, nothing is known")
  mutating func waiting() {
    times.accepted(other, by: nil, at: 0)
    times.accepted(run, by: nil, at: 1)
    times.goesOn(child, at: 1)
    times.ended(other, of: nil, at: 9)
    #expect(times[run] == nil)
    #expect(times[child] == 1)
    times.alarmed()
    #expect(times[child] == nil)
  }
}
