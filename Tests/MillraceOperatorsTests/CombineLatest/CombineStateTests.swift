import Testing

@testable import MillraceOperators

@Suite("CombineState")
struct CombineStateTests {
  typealias Latest = [Int?]

  private func check(_ steps: [(part: CombinePart<Latest>, step: String)]) {
    var state = CombineState<Latest>([nil, nil], bases: 2)
    for (index, expected) in steps.enumerated() {
      let step =
        switch state.take(expected.part) {
        case .combined(let latest): "\(latest.compactMap { $0 })"
        case .incomplete: "incomplete"
        case .impossible: "impossible"
        }
      #expect(step == expected.step, "step \(index)")
    }
  }

  private func element(_ base: Int, _ element: Int) -> CombinePart<Latest> {
    .element(base: base) { $0[base] = element }
  }

  @Test("The first combination needs an element of each base, and has the newest; then each element makes one")
  func combinations() {
    check([
      (element(0, 1), "incomplete"),
      (element(0, 2), "incomplete"),
      (element(1, 10), "[2, 10]"),
      (element(1, 11), "[2, 11]"),
      (element(0, 3), "[3, 11]"),
    ])
  }

  @Test("A base that has ended keeps its last element; one that has ended without one ends all")
  func ends() {
    check([
      (element(0, 1), "incomplete"), (.end(base: 0), "incomplete"), (element(1, 10), "[1, 10]"),
      (.end(base: 1), "incomplete"),
    ])
    check([(element(0, 1), "incomplete"), (.end(base: 1), "impossible")])
  }
}
