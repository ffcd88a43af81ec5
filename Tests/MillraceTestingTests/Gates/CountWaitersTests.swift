import Testing

@testable import MillraceTesting

@Suite("CountWaiters")
struct CountWaitersTests {
  @Test("Waits whose number is reached are taken out once, first come first")
  func reachedOnesAreTakenOnce() {
    var waiters = CountWaiters<String>()
    waiters.add("three", id: 1, count: 3)
    waiters.add("two", id: 2, count: 2)
    waiters.add("two again", id: 3, count: 2)
    #expect(waiters.take(reachedBy: 1) == [])
    #expect(waiters.take(reachedBy: 2) == ["two", "two again"])
    #expect(waiters.take(reachedBy: 2) == [])
    #expect(waiters.take(reachedBy: 9) == ["three"])
  }

  @Test("A removed wait is not taken")
  func aRemovedOneIsNotTaken() {
    var waiters = CountWaiters<String>()
    waiters.add("one", id: 1, count: 1)
    waiters.add("other", id: 2, count: 1)
    #expect(waiters.remove(1) == "one")
    #expect(waiters.remove(1) == nil)
    #expect(waiters.take(reachedBy: 1) == ["other"])
    #expect(waiters.remove(2) == nil)
  }
}
