import Testing

@testable import MillraceTesting

@Suite("Overtaking")
struct OvertakingTests {
  /// The turns from 1 to this one have begun.
  private func overtaking(turns: Int) -> Overtaking<String> {
    var overtaking = Overtaking<String>()
    for turn in 1...turns { overtaking.begin(turn) }
    return overtaking
  }

  @Test("An answer is held back until a later call has ended; an earlier one does not count")
  func overtaken() {
    var overtaking = overtaking(turns: 5)
    #expect(overtaking.wait("two", turn: 2, onlyUnderWay: false, isCancelled: false) == .none)
    #expect(overtaking.wait("three", turn: 3, onlyUnderWay: false, isCancelled: false) == .none)
    #expect(overtaking.end(1).isEmpty)
    #expect(overtaking.end(2).isEmpty)
    #expect(overtaking.end(4) == ["two", "three"])
    #expect(overtaking.end(5).isEmpty)
  }

  @Test("An answer that was overtaken already is not held back")
  func overtakenBefore() {
    var overtaking = overtaking(turns: 2)
    #expect(overtaking.end(2).isEmpty)
    #expect(overtaking.wait("one", turn: 1, onlyUnderWay: false, isCancelled: false) == .wake(["one"]))
    #expect(overtaking.wait("two", turn: 2, onlyUnderWay: false, isCancelled: false) == .none)
  }

  @Test("Where only those under way are waited for, an answer is held back as long as there is a later one")
  func onlyUnderWay() {
    var overtaking = overtaking(turns: 3)
    #expect(overtaking.wait("three", turn: 3, onlyUnderWay: true, isCancelled: false) == .wake(["three"]))
    #expect(overtaking.wait("one", turn: 1, onlyUnderWay: true, isCancelled: false) == .none)
    #expect(overtaking.end(2) == ["one"])
    #expect(overtaking.end(3).isEmpty)
    overtaking.begin(4)
    #expect(overtaking.wait("four", turn: 4, onlyUnderWay: true, isCancelled: false) == .wake(["four"]))
  }

  @Test("An action that is not held back any more is released once")
  func cancelled() {
    var overtaking = Overtaking<String>()
    #expect(overtaking.wait("one", turn: 1, onlyUnderWay: false, isCancelled: true) == .cancel("one"))
    #expect(overtaking.wait("two", turn: 2, onlyUnderWay: false, isCancelled: false) == .none)
    #expect(overtaking.cancel(2) == .cancel("two"))
    #expect(overtaking.cancel(2) == .none)
    #expect(overtaking.end(3).isEmpty)
  }
}
