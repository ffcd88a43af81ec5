import Testing

@testable import MillraceTesting

/// Graphs of numbers, where a step is written as the number that it leads to.
@Suite("ModelSearch")
struct ModelSearchTests {
  private func search(_ graph: [Int: [Int]], from initial: Int = 0, maximum: Int = 100) -> ModelSearch<Int, String> {
    var search = ModelSearch<Int, String>(from: initial, maximum: maximum)
    search.explore { state in (graph[state] ?? []).map { ("\(state)\($0)", $0) } }
    return search
  }

  @Test("States are found breadth-first, in the order of the steps, and steps that change nothing are left out")
  func order() {
    let search = search([0: [2, 0, 1], 2: [4, 3], 1: [3, 5], 5: [0]])
    #expect(search.states == [0, 2, 1, 4, 3, 5])
    #expect(search.edges.map(\.step) == ["02", "01", "24", "23", "13", "15", "50"])
    #expect(search.cut == [])
  }

  @Test("A path is a shortest one, and of equal ones the one that was found first")
  func paths() {
    let search = search([0: [1, 2], 1: [3], 2: [3, 4], 3: [4, 5], 4: [6], 5: [6]])
    let paths = search.states.indices.map { search.path(to: $0).map(\.step) }
    #expect(
      paths == [[], ["01"], ["02"], ["01", "13"], ["02", "24"], ["01", "13", "35"], ["02", "24", "46"]])
  }

  @Test("A maximum keeps the first states, and says which ones lead on")
  func maximum() {
    let search = search([0: [1, 2], 1: [3], 2: [0]], maximum: 3)
    #expect(search.states == [0, 1, 2])
    #expect(search.edges.map(\.step) == ["01", "02", "20"])
    #expect(search.cut == [1])
    #expect(search.path(to: 2).map(\.step) == ["02"])
  }

  @Test(
    "A state has no way out if all that it leads to is of its kind",
    arguments: [
      // 0 is free, 1 and 2 go round, 3 leads back.
      ([0: [1, 3], 1: [2], 2: [1], 3: [0]], 100, [1, 2]),
      // The way out is long.
      ([0: [1], 1: [2], 2: [3], 3: [0]], 100, []),
      // Nothing leads on from 2.
      ([0: [1], 1: [0, 2]], 100, [2]),
      // What 2 leads to was not looked at.
      ([0: [1], 1: [2], 2: [3]], 3, []),
    ])
  func waysOut(graph: [Int: [Int]], maximum: Int, expected: [Int]) {
    let search = search(graph, maximum: maximum)
    #expect(search.states(withoutWayOutOf: { $0 != 0 }).map { search.states[$0] } == expected)
  }
}
