import MillraceTesting
import Testing

@testable import Millrace

@Suite("The line of recovery", .timeLimit(.minutes(1)))
struct RecoveryLineTests {
  private let clock = TestClock()
  private let begun = Recorder<String>()

  private func place(_ name: String, _ deaths: Int, at time: Int64 = 0) -> RecoveryLine.Place {
    RecoveryLine.Place(deaths: deaths, takenUpAt: time) { [begun] in begun.record(name) }
  }

  @Test("T8: the run with the fewest deaths has the turn first, then the one that was taken up first")
  func order() {
    let line = RecoveryLine(on: clock)
    let places = [
      place("d", 3, at: 1), place("a", 2, at: 5), place("b", 2, at: 5), place("c", 2, at: 7), place("e", 9, at: 0),
    ]
    for place in places { line.join(place) }
    #expect(begun.recorded.isEmpty, "a turn is given once all have joined")
    line.giveTurn()
    line.giveTurn()
    #expect(begun.recorded == ["a"])
    for index in [1, 2, 3, 0] { line.leave(places[index]) }
    #expect(begun.recorded == ["a", "b", "c", "d", "e"])
    line.leave(places[4])
    #expect(begun.recorded.count == 5)
  }

  @Test("T8: a run that leaves the line while it waits has no turn, and takes none from another one")
  func leaving() {
    let line = RecoveryLine(on: clock)
    let (first, second, third) = (place("first", 2), place("second", 3), place("third", 4))
    for place in [first, second, third] { line.join(place) }
    line.giveTurn()
    line.leave(second)
    line.leave(second)
    #expect(begun.recorded == ["first"])
    line.leave(first)
    #expect(begun.recorded == ["first", "third"])
  }

  @Test("T8: a run that neither makes progress nor ends loses the turn after a minute")
  func longestTurn() async throws {
    let line = RecoveryLine(on: clock)
    let (first, second) = (place("first", 2), place("second", 3))
    line.join(first)
    line.join(second)
    line.giveTurn()
    try await clock.waitForSleepers()
    clock.advance(by: .milliseconds(59_999))
    #expect(begun.recorded == ["first"])
    clock.advance(by: .milliseconds(1))
    #expect(try await begun.next(2) == ["first", "second"])
    let third = place("third", 4)
    line.join(third)
    line.leave(first)
    #expect(begun.recorded == ["first", "second"], "the turn is the second's")
    line.leave(second)
    // The thread that gave the second its turn may give this one too.
    #expect(try await begun.next() == "third")
  }

  @Test("10,000 runs that end as soon as they have the turn do not nest")
  func flat() {
    let line = RecoveryLine(on: clock)
    let left = Recorder<Int>()
    let places = Lock<[RecoveryLine.Place]>([])
    let depth = Lock((now: 0, largest: 0))
    for number in 0..<10_000 {
      let place = RecoveryLine.Place(deaths: 2, takenUpAt: Int64(number)) {
        depth.withLock { $0 = ($0.now + 1, max($0.largest, $0.now + 1)) }
        left.record(number)
        line.leave(places.withLock { $0[number] })
        depth.withLock { $0.now -= 1 }
      }
      places.withLock { $0.append(place) }
    }
    for place in places.withLock({ $0 }).reversed() { line.join(place) }
    line.giveTurn()
    #expect(left.recorded.count == 10_000)
    #expect(depth.withLock { $0.largest } == 1)
    places.withLock { $0 = [] }
  }
}
