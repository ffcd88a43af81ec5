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
      .finished, .failed(Refused()), .cancelled, .superseded, .timedOut, .rejected(.full("")), .shutDown, .abandoned,
      .leftOpen,
    ]
    for outcome in outcomes {
      tally.send(due: 0)
      tally.end(outcome, due: 0, began: 0, ended: 1)
    }
    tally.send(due: 0)
    tally.leaveUnsent(due: 0)
    let counts = tally.counts
    #expect(
      counts.sent == 10 && counts.finished == 1 && counts.rejected == 1 && counts.inFlight == 1 && counts.unsent == 1)
    #expect(counts.failed == 1 && counts.timedOut == 1 && counts.cancelled == 4 && counts.superseded == 1)
    #expect(tally.rejections == [.full: 1])
    #expect(tally.errors == ["Refused()": 1])
  }

  @Test("Only requests that finished count in the latency, the throughput and a slice's finished ones")
  mutating func failures() {
    for outcome in [Outcome.failed(Refused()), .timedOut, .cancelled, .superseded, .shutDown, .abandoned, .leftOpen] {
      tally.send(due: 0)
      tally.end(outcome, due: 0, began: 1, ended: 5)
    }
    #expect(tally.latency.histogram.count == 0 && tally.uncorrected.histogram.count == 0 && tally.finishedInTime == 0)
    #expect(tally.latency.p50 == nil && tally.latency.max == nil)
    #expect(tally.failureLatency.histogram.count == 7 && tally.failureLatency.max == .nanoseconds(5))
    #expect(tally.slices[0].finished == 0 && tally.slices[0].failed == 7 && tally.slices[0].latency.count == 0)
  }

  @Test("Requests are counted by status and by error text, of which there is a bounded number of a bounded length")
  mutating func statusesAndErrors() {
    struct Numbered: Error, CustomStringConvertible {
      let description: String
    }
    for number in 0..<60 {
      let end = LoadEnd(.failed(Numbered(description: "no \(number)")), status: 500 + number % 2)
      for _ in 0..<2 { tally.end(end, due: 0, began: 0, ended: 1) }
    }
    tally.end(LoadEnd(.finished, status: 200), due: 0, began: 0, ended: 1)
    #expect(tally.statuses == [200: 1, 500: 60, 501: 60])
    #expect(tally.errors.count == 51 && tally.errors["no 49"] == 2 && tally.errors["no 50"] == nil)
    #expect(tally.errors["other errors"] == 20)
    for length in [200, 201] {
      let end = LoadEnd(.failed(Numbered(description: String(repeating: "x", count: length))))
      #expect(end.errorText?.count == length && end.errorText?.hasSuffix("…") == (length == 201))
    }
  }

  @Test("Latency is from due to end, of requests that finished; the uncorrected one from sent to end")
  mutating func latency() {
    tally.send(due: 100)
    tally.end(.finished, due: 100, began: 150, ended: 400)
    tally.end(.rejected(.full("")), due: 100, began: 150, ended: 9_000)
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

  @Test("A slice has the requests due in it, and those that finished in it")
  mutating func slices() {
    tally.send(due: 5_000_000)
    tally.end(.finished, due: 5_000_000, began: 5_000_000, ended: 25_000_000)
    tally.send(due: 999_999_999)
    tally.end(.finished, due: 999_999_999, began: 999_999_999, ended: 2_000_000_000)
    tally.send(due: 10_000_000)
    tally.end(.rejected(.full("")), due: 10_000_000, began: 10_000_000, ended: 10_000_000)
    tally.leaveUnsent(due: 30_000_000)
    #expect(tally.slices.count == 100)
    #expect(tally.slices[0].sent == 1 && tally.slices[0].finished == 0 && tally.slices[0].latency.count == 1)
    #expect(tally.slices[1].sent == 1 && tally.slices[1].rejected == 1)
    #expect(tally.slices[2].finished == 1)
    #expect(tally.slices[3].unsent == 1)
    // It finished after the measured part.
    #expect(tally.slices[99].sent == 1 && tally.slices[99].finished == 0 && tally.slices[99].latency.count == 1)
  }

  @Test("A request is in time that ends before the measured part does", arguments: [-1, 0, 1])
  mutating func inTime(difference: Int64) {
    tally.send(due: 0)
    tally.end(.finished, due: 0, began: 0, ended: 1_000_000_000 + difference)
    #expect(tally.finishedInTime == (difference < 0 ? 1 : 0))
    #expect(tally.slices[99].finished == (difference < 0 ? 1 : 0))
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
