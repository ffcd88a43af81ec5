import Testing

@testable import MillraceTesting

@Suite("Overtaking")
struct OvertakingTests {
  @Test("An answer is held back until a later call was answered; an earlier one does not count")
  func overtaken() {
    var overtaking = Overtaking<String>()
    #expect(overtaking.wait("two", turn: 2, isCancelled: false) == .none)
    #expect(overtaking.wait("three", turn: 3, isCancelled: false) == .none)
    #expect(overtaking.answered(1).isEmpty)
    #expect(overtaking.answered(2).isEmpty)
    #expect(overtaking.answered(4) == ["two", "three"])
    #expect(overtaking.answered(5).isEmpty)
  }

  @Test("An answer that was overtaken already is not held back")
  func overtakenBefore() {
    var overtaking = Overtaking<String>()
    #expect(overtaking.answered(2).isEmpty)
    #expect(overtaking.wait("one", turn: 1, isCancelled: false) == .wake(["one"]))
    #expect(overtaking.wait("two", turn: 2, isCancelled: false) == .none)
  }

  @Test("One that is not held back any more is let go once")
  func cancelled() {
    var overtaking = Overtaking<String>()
    #expect(overtaking.wait("one", turn: 1, isCancelled: true) == .cancel("one"))
    #expect(overtaking.wait("two", turn: 2, isCancelled: false) == .none)
    #expect(overtaking.cancel(2) == .cancel("two"))
    #expect(overtaking.cancel(2) == .none)
    #expect(overtaking.answered(3).isEmpty)
  }
}
