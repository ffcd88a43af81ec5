import Testing

@testable import MillraceHTTP

@Suite("WaitingTransfers")
struct WaitingTransfersTests {
  @Test("Transfers leave in their order, and removed ones are skipped")
  func order() {
    var waiting = WaitingTransfers<String>()
    for (id, name) in [(3, "a"), (1, "b"), (2, "c")] as [(UInt64, String)] { waiting.append(name, id: id) }
    #expect(waiting.remove(1) == "b" && waiting.remove(1) == nil)
    #expect(waiting.removeFirst()?.transfer == "a")
    #expect(waiting.remove(3) == nil)
    let last = waiting.removeFirst()
    #expect(last?.id == 2 && last?.transfer == "c")
    #expect(waiting.removeFirst() == nil)
  }

  @Test("Identities of transfers that have left are dropped, by cancellation and by their turn")
  func pruned() {
    var waiting = WaitingTransfers<Int>()
    for id in 0..<1000 { waiting.append(id, id: UInt64(id)) }
    for id in 0..<990 { _ = id.isMultiple(of: 2) ? waiting.remove(UInt64(id)) : waiting.removeFirst()?.transfer }
    var left: [Int] = []
    let stored = waiting.storedCount
    while let next = waiting.removeFirst() { left.append(next.transfer) }
    #expect(stored <= 2 * left.count + 16 && left == left.sorted())
    #expect(waiting.storedCount <= 16)
  }
}
