import Millrace
import Testing

@testable import MillraceLoad

@Suite("ProgressTask")
struct ProgressTaskTests {
  @Test("A line of progress has the time, what is left of it, the counts and the p99 so far")
  func line() {
    var tally = LoadTally(duration: .seconds(10))
    for _ in 0..<1_500 {
      tally.send(due: 0)
      tally.end(.finished, due: 0, began: 0, ended: 2_000_000)
    }
    let text = ProgressTask.text(LoadProgress(figures: tally, elapsed: .milliseconds(2_500)), of: .seconds(10))
    #expect(text == "2.5 s of 10 s, 7.5 s left: 1,500 sent, 1,500 finished, p99 2 ms")
  }

  @Test("A line of progress has failures and rejections where there are some, and no latency where no request finished")
  func failures() {
    var tally = LoadTally(duration: .seconds(10))
    for outcome in [Outcome.timedOut, .superseded, .rejected(.full(""))] {
      tally.send(due: 0)
      tally.end(outcome, due: 0, began: 0, ended: 2_000_000)
    }
    let text = ProgressTask.text(LoadProgress(figures: tally, elapsed: .seconds(1)), of: .seconds(10))
    #expect(text == "1 s of 10 s, 9 s left: 3 sent, 0 finished, 2 failed, 1 rejected")
  }

  @Test("The warm-up has a line of its own")
  func warmUp() {
    let progress = LoadProgress(figures: LoadTally(duration: .seconds(1)), elapsed: .milliseconds(-1))
    #expect(ProgressTask.text(progress, of: .seconds(1)) == "Warming up.")
  }
}
