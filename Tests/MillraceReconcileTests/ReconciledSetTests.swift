import Millrace
import Testing

@testable import MillraceReconcile

@Suite("ReconciledSet")
struct ReconciledSetTests {
  @Test("A set removes what is not desired and then adds what is missing, each in ascending order")
  func operations() {
    let now: ReconciledSet = ["d", "a", "c", "b"]
    #expect(
      now.operations(toward: ["c", "f", "e"]) == [.remove("a"), .remove("b"), .remove("d"), .add("e"), .add("f")])
    #expect(now.operations(toward: ["a", "b", "c", "d"]) == [])
    #expect(ReconciledSet().operations(toward: [2, 1]) == [.add(1), .add(2)])
    #expect(ReconciledSet([2, 1]).operations(toward: []) == [.remove(1), .remove(2)])
  }

  @Test("The operations between any two sets lead from the one to the other", arguments: [1, 2] as [UInt64])
  func law(seed: UInt64) {
    ReconciledSet<Int>.expectLaw(pairs: 3_000, seed: seed)
  }

  @Test("An operation that does not fit changes nothing")
  func misfit() {
    var set: ReconciledSet = [1]
    set.apply(.remove(2))
    set.apply(.add(1))
    #expect(set == [1])
  }
}
