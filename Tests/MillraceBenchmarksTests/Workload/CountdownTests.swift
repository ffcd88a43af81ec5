import Millrace
import Testing

@testable import MillraceBenchmarks

@Suite("Countdown", .timeLimit(.minutes(1)))
struct CountdownTests {
  // A count that had reached zero before the wait was once missed, and the row hung.
  @Test("A wait returns where all had arrived before it")
  func arrivalsBeforeTheWait() async {
    let countdown = Countdown(2)
    countdown.arrive()
    countdown.arrive()
    await countdown.wait()
    #expect(countdown.remaining == 0)
  }

  @Test("A wait returns with the last arrival")
  func arrivalsDuringTheWait() async {
    let countdown = Countdown(2)
    countdown.arrive()
    let waiting = Task.immediate { await countdown.wait() }
    #expect(countdown.remaining == 1)
    countdown.arrive()
    await waiting.value
  }

  @Test("A countdown of nothing is over")
  func nothing() async {
    await Countdown(0).wait()
  }

  // A run that was superseded between its last commit and its handler's return was once counted twice, so that the wave
  // was over before all had arrived.
  @Test("An action arrives once, whether its last mutation, its closing mutation or both are committed")
  func oneArrival() throws {
    let countdown = Countdown(2)
    let action = PlannedAction(overlap: .latest, key: 1, countdown: countdown)
    let closing = try #require(Planned().closing(action, outcome: .superseded))
    var tally = Tally()
    Planned.reduce(into: &tally, mutation: .ended(action))
    #expect(countdown.remaining == 1)
    Planned.reduce(into: &tally, mutation: closing)
    #expect(countdown.remaining == 1)
    let other = PlannedAction(overlap: .latest, key: 1, countdown: countdown)
    Planned.reduce(into: &tally, mutation: try #require(Planned().closing(other, outcome: .superseded)))
    #expect(countdown.remaining == 0)
  }

  @Test("The waves of every overlap end", arguments: ["run/concurrent", "run/serial", "run/latest"])
  func waves(name: String) async throws {
    let row = try #require(runRows.first { $0.name == name })
    #expect(try await row.measure(.quick).value > 0)
  }
}
