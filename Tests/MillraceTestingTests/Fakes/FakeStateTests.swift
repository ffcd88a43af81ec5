import Testing

@testable import MillraceTesting

/// Calls and their ends; a waiter is a word here.
@Suite("FakeState")
struct FakeStateTests {
  /// An answer that takes time, unless it says at once how the call ends.
  struct Answer: FakeAnswering {
    var ending: FakeEnding?
  }

  typealias State = FakeState<String, Answer, String>

  private let location = TestLine("Tests/Some.swift", 7)

  private func state(_ answers: Answer...) -> State {
    var state = State()
    for answer in answers { state.scripts.add(FakeScript(answer, times: 1, location: location)) }
    return state
  }

  private func text(_ entry: FakeCallEntry<String>) -> String {
    let ending = entry.ending.map { "\($0)" } ?? "open"
    let ended = entry.ended.map { "\($0)" } ?? "now"
    return "\(entry.number) \(entry.request) \(ending) from \(entry.began) to \(ended)"
  }

  @Test(
    "A call that is answered at once has ended, one that takes time is open until it ends, one without a script is unexpected"
  )
  func calls() {
    var state = state(Answer(ending: .replied), Answer())
    #expect(state.arrive("a", at: .seconds(1)).script != nil)
    let open = state.arrive("b", at: .seconds(2))
    #expect(open.script != nil)
    #expect(state.arrive("c", at: .seconds(3)).script == nil)
    #expect(
      state.log.kept.map(text) == [
        "1 a replied from 1.0 seconds to 1.0 seconds", "2 b open from 2.0 seconds to now",
        "3 c unexpected from 3.0 seconds to 3.0 seconds",
      ])
    #expect(state.end(open.number, .cancelled, at: .seconds(4)) == [])
    #expect(state.end(open.number, .replied, at: .seconds(5)) == [])
    #expect(text(state.log.kept[1]) == "2 b cancelled from 2.0 seconds to 4.0 seconds")
  }

  @Test("A wait until no call is open ends with the last call, at once where none is open, and when cancelled")
  func quiet() {
    var state = state(Answer(), Answer())
    #expect(state.waitUntilQuiet("none", id: 1, isCancelled: false) == .wake(["none"]))
    let calls = ["a", "b"].map { state.arrive($0, at: .zero).number }
    #expect(state.waitUntilQuiet("late", id: 2, isCancelled: true) == .cancel("late"))
    for id in 3...5 { #expect(state.waitUntilQuiet("\(id)", id: id, isCancelled: false) == .none) }
    #expect(state.cancelQuietWait(4) == .cancel("4"))
    #expect(state.cancelQuietWait(4) == .none)
    #expect(state.end(calls[0], .replied, at: .zero) == [])
    #expect(state.end(calls[1], .replied, at: .zero) == ["3", "5"])
  }

  @Test("A call that meets a fault is open whatever its script is, and uses none when it is reset")
  func faults() {
    var state = state(Answer(ending: .replied))
    #expect(state.arrive("a", at: .zero, with: .reset, at: location).script == nil)
    #expect(state.arrive("b", at: .zero, with: .timeout, at: location).script != nil)
    #expect(state.arrive("c", at: .zero, with: .slow, at: location).script == nil)
    #expect(state.log.kept.map(\.fault) == [.reset, .timeout, .slow])
    #expect(state.log.kept.map { $0.ending.map { "\($0)" } } == [nil, nil, "unexpected"])
    #expect(state.finish().calls.map(\.number) == [1, 2])
  }

  @Test("A second delivery is logged as one, and is not waited for")
  func secondDelivery() {
    var state = state()
    #expect(state.arriveAgain("a", at: .zero).number == 1)
    #expect(state.log.kept.map(\.isDuplicate) == [true])
    #expect(state.log.kept.map(\.fault) == [.duplicate])
    #expect(state.finish().calls.isEmpty)
  }

  @Test("At the end what was not used and what has not ended is told, once")
  func end() {
    var state = state(Answer(), Answer(), Answer(), Answer(ending: .replied))
    let numbers = ["a", "b", "c"].map { state.arrive($0, at: .zero).number }
    #expect(state.end(numbers[1], .replied, at: .zero) == [])
    let left = state.finish()
    #expect(left.scripts.count == 1)
    #expect(left.calls.map(\.request) == ["a", "c"])
    #expect(left.callCount == 3)
    let again = state.finish()
    #expect(again.scripts.isEmpty && again.calls.isEmpty)
  }

  @Test("A wait for a number of calls ends with that call, unless it is cancelled")
  func watchers() {
    var state = state()
    #expect(state.watch("none", id: 1, count: 0, isCancelled: false) == .wake(["none"]))
    #expect(state.watch("late", id: 2, count: 0, isCancelled: true) == .cancel("late"))
    #expect(state.watch("two", id: 3, count: 2, isCancelled: false) == .none)
    #expect(state.watch("one", id: 4, count: 1, isCancelled: false) == .none)
    #expect(state.watch("gone", id: 5, count: 1, isCancelled: false) == .none)
    #expect(state.cancelWatch(5) == .cancel("gone"))
    #expect(state.cancelWatch(5) == .none)
    #expect(state.arrive("a", at: .zero).woken == ["one"])
    #expect(state.arrive("a", at: .zero, with: nil, at: location).woken == ["two"])
    #expect(state.watch("at once", id: 6, count: 2, isCancelled: false) == .wake(["at once"]))
    #expect(state.watch("three", id: 7, count: 3, isCancelled: false) == .none)
    #expect(state.arriveAgain("a", at: .zero).woken == ["three"])
  }

  @Test("Each id is a new one")
  func idsAreNew() {
    var state = state()
    #expect((0..<3).map { _ in state.makeID() } == [1, 2, 3])
  }
}
