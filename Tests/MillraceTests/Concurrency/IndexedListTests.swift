import Testing

@testable import Millrace

@Suite("IndexedList")
struct IndexedListTests {
  private func isIn(_ waiters: [Waiter], _ list: IndexedList<Waiter>) -> Bool {
    list.elements.count == waiters.count && zip(list.elements, waiters).allSatisfy { $0 === $1 }
      && waiters.enumerated().allSatisfy { $1.index == $0 }
  }

  @Test("Elements stand in the order in which they were added, each once")
  func elementsStandOnce() {
    let waiters = (0..<3).map { _ in Waiter() }
    var list = IndexedList<Waiter>()
    #expect(list.isEmpty)
    for waiter in waiters + waiters { list.insert(waiter) }
    #expect(isIn(waiters, list))
    #expect(!list.isEmpty)
  }

  @Test("The last element takes the index of one that is taken out; one that does not stand there changes nothing")
  func elementsAreTakenOut() {
    let waiters = (0..<4).map { _ in Waiter() }
    var list = IndexedList<Waiter>()
    for waiter in waiters { list.insert(waiter) }
    list.remove(waiters[1])
    #expect(isIn([waiters[0], waiters[3], waiters[2]], list))
    #expect(waiters[1].index == nil)
    list.remove(waiters[1])
    list.remove(waiters[2])
    #expect(isIn([waiters[0], waiters[3]], list))
    list.insert(waiters[1])
    #expect(isIn([waiters[0], waiters[3], waiters[1]], list))
  }

  @Test("All elements are taken at once, and can stand there again")
  func allAreTaken() {
    let waiters = (0..<3).map { _ in Waiter() }
    var list = IndexedList<Waiter>()
    for waiter in waiters { list.insert(waiter) }
    #expect(list.takeAll().count == 3)
    #expect(list.isEmpty)
    #expect(waiters.allSatisfy { $0.index == nil })
    list.insert(waiters[2])
    #expect(isIn([waiters[2]], list))
  }
}
