import Millrace
import Testing

@testable import MillraceLoad

@Suite("LoadTally")
struct LoadTallyTests {
  private struct Refused: Error {}

  private var tally = LoadTally(duration: .seconds(1))

  @Test("Each outcome is counted once, and the counts add up")
  mutating func outcomes() {
    let outcomes: [Outcome] = [
      .finished, .failed(Refused()), .cancelled, .superseded, .timedOut, .rejected(.full), .shutDown, .abandoned,
    ]
    for outcome in outcomes {
      tally.send(due: 0)
      tally.end(outcome, due: 0, began: 0, ended: 1)
    }
    tally.send(due: 0)
    tally.leaveUnsent(due: 0)
    let counts = tally.counts
    #expect(
      counts.sent == 9 && counts.settled == 7 && counts.rejected == 1 && counts.inFlight == 1 && counts.unsent == 1)
    #expect(counts.finished == 1 && counts.failed == 1 && counts.cancelled == 4 && counts.timedOut == 1)
    #expect(tally.rejections == [.full: 1])
    #expect(tally.firstError == "Refused()")
  }

  @Test("Latency is from due to end, of what settled; the uncorrected one from sent to end")
  mutating func latency() {
    tally.send(due: 100)
    tally.end(.finished, due: 100, began: 150, ended: 400)
    tally.end(.rejected(.full), due: 100, began: 150, ended: 9_000)
    tally.end(.finished, due: 100, began: nil, ended: 9_000)
    #expect(tally.latency.histogram.count == 1 && tally.latency.max == .nanoseconds(300))
    #expect(tally.uncorrected.max == .nanoseconds(250))
  }

  @Test("Requests due in the warm-up are counted nowhere")
  mutating func warmUp() {
    tally.send(due: -1)
    tally.end(.finished, due: -1, began: 0, ended: 5)
    tally.leaveUnsent(due: -1)
    tally.addOwnLateness(5, due: -1)
    #expect(tally.counts == LoadCounts())
    #expect(tally.latency.histogram.count == 0 && tally.ownLateness.count == 0)
    #expect(tally.slices.allSatisfy { $0 == LoadSlice() })
  }

  @Test("A slice has what was due in it, and what settled in it")
  mutating func slices() {
    tally.send(due: 5_000_000)
    tally.end(.finished, due: 5_000_000, began: 5_000_000, ended: 25_000_000)
    tally.send(due: 999_999_999)
    tally.end(.finished, due: 999_999_999, began: 999_999_999, ended: 2_000_000_000)
    tally.send(due: 10_000_000)
    tally.end(.rejected(.full), due: 10_000_000, began: 10_000_000, ended: 10_000_000)
    tally.leaveUnsent(due: 30_000_000)
    #expect(tally.slices.count == 100)
    #expect(tally.slices[0].sent == 1 && tally.slices[0].settled == 0 && tally.slices[0].latency.count == 1)
    #expect(tally.slices[1].sent == 1 && tally.slices[1].rejected == 1)
    #expect(tally.slices[2].settled == 1)
    #expect(tally.slices[3].unsent == 1)
    // It settled after the measured part.
    #expect(tally.slices[99].sent == 1 && tally.slices[99].settled == 0 && tally.slices[99].latency.count == 1)
  }

  @Test("The process is read once for each slice that has ended, or for the last of several")
  mutating func readings() {
    tally.send(due: 0)
    #expect(!tally.needsReading(at: 9_999_999))
    #expect(tally.needsReading(at: 10_000_000))
    tally.add(ProcessReading(memory: 7, descriptors: 3), at: 10_000_000)
    #expect(tally.slices[0].memory == 7 && tally.slices[0].descriptors == 3 && tally.slices[0].inFlight == 1)
    #expect(!tally.needsReading(at: 10_000_001))
    tally.add(ProcessReading(memory: 8, descriptors: 3), at: 55_000_000)
    #expect(tally.slices[4].memory == 8 && tally.slices[3].memory == nil)
    tally.add(ProcessReading(memory: 9, descriptors: 3), at: 9_000_000_000)
    #expect(tally.slices[99].memory == 9)
    #expect(!tally.needsReading(at: .max))
  }
}
