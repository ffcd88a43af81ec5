import Millrace
import Testing

@testable import MillraceReport

@Suite("Causality tree")
struct CausalityTreeTests {
  /// A tree of actions that are told as their number and that of their sender.
  private func tree(_ actions: [(Int, Int?)]) -> CausalityTree {
    var tree = CausalityTree()
    for (number, parent) in actions {
      tree.add(
        CausalityTree.Node(
          run: run(number), parent: parent.map(run), text: "\(number)", isAccepted: true, start: Int64(number)))
    }
    return tree
  }

  @Test("An action stands behind the one that sent it, and those of one sender in the order in which they were sent")
  func order() {
    let order = tree([(1, nil), (2, nil), (3, 1), (4, 2), (5, 3), (6, 1)]).inOrder
    #expect(order.map(\.node.text) == ["1", "3", "5", "6", "2", "4"])
    #expect(order.map(\.depth) == [0, 1, 2, 1, 0, 1])
  }

  @Test("An action whose sender is not there, or comes later, or is itself, is a beginning")
  func beginnings() {
    let order = tree([(1, 9), (2, 3), (3, 2), (4, 4)]).inOrder
    #expect(order.map(\.node.text) == ["1", "2", "3", "4"])
    #expect(order.map(\.depth) == [0, 0, 1, 0])
  }

  @Test("A chain of 100,000 actions is put in order")
  func chain() {
    let order = tree((0..<100_000).map { ($0, $0 == 0 ? nil : $0 - 1) }).inOrder
    #expect(order.map(\.depth) == Array(0..<100_000))
  }

  @Test("An end is that of the run it names; one of a run that is not shown changes nothing")
  func ends() {
    var tree = tree([(1, nil), (2, nil)])
    tree.end(run(2), at: 9, .failed, error: nil)
    tree.end(run(3), at: 9, .failed, error: nil)
    #expect(tree.nodes.map(\.outcome) == [nil, .failed])
    #expect(tree.nodes.map(\.end) == [nil, 9])
  }
}

/// The run of a number.
func run(_ number: Int) -> RunID {
  RunID(store: 1, action: ActionID(number: UInt64(number)))
}
