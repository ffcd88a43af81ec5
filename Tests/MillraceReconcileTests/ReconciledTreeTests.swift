import Millrace
import Testing

@testable import MillraceReconcile

@Suite("ReconciledTree")
struct ReconciledTreeTests {
  typealias Tree = ReconciledTree<String, Int>

  @Test("A tree removes from the leaves up, then updates, then adds from the parents down, siblings in ascending order")
  func operations() {
    let now: Tree = [
      "b": .init(1, ["y": .init(2, ["leaf": .init(3)]), "x": .init(4)]),
      "a": .init(5, ["z": .init(6)]),
    ]
    let desired: Tree = [
      "a": .init(7, ["z": .init(8), "w": .init(9, ["v": .init(10), "u": .init(11)])]),
      "c": .init(12),
    ]
    #expect(
      now.operations(toward: desired) == [
        .remove(4, at: ["b", "x"]), .remove(3, at: ["b", "y", "leaf"]), .remove(2, at: ["b", "y"]),
        .remove(1, at: ["b"]),
        .update(at: ["a"], from: 5, to: 7), .update(at: ["a", "z"], from: 6, to: 8),
        .add(9, at: ["a", "w"]), .add(11, at: ["a", "w", "u"]), .add(10, at: ["a", "w", "v"]), .add(12, at: ["c"]),
      ])
    now.expectToBecome(desired)
    desired.expectToBecome(now)
    #expect(now.operations(toward: now) == [])
  }

  @Test("The operations between any two trees lead from the one to the other", arguments: [1, 2] as [UInt64])
  func law(seed: UInt64) {
    Tree.expectLaw(pairs: 1_500, seed: seed)
  }

  @Test("A node is found by the keys that lead to it; no keys lead to none")
  func path() {
    let tree: Tree = ["a": .init(1, ["b": .init(2)])]
    #expect(tree[["a"]]?.value == 1)
    #expect(tree[["a", "b"]]?.value == 2)
    #expect(tree[["a", "c"]] == nil)
    #expect(tree[["b", "a"]] == nil)
    #expect(tree[[]] == nil)
  }

  @Test(
    "An operation whose node or parent is missing changes nothing",
    arguments: [
      .remove(1, at: ["b"]), .remove(1, at: []), .remove(1, at: ["b", "c"]), .update(at: ["b"], from: 1, to: 2),
      .update(at: [], from: 1, to: 2), .add(1, at: ["b", "c"]), .add(1, at: []),
    ] as [Tree.Operation])
  func misfit(operation: Tree.Operation) {
    var tree: Tree = ["a": .init(1)]
    tree.apply(operation)
    #expect(tree == ["a": .init(1)])
  }

  @Test("A node that is added again keeps what is below it, and one that is updated too")
  func addedAgain() {
    var tree: Tree = ["a": .init(1, ["b": .init(2)])]
    tree.apply(.add(3, at: ["a"]))
    #expect(tree == ["a": .init(3, ["b": .init(2)])])
    tree.apply(.update(at: ["a"], from: 3, to: 4))
    #expect(tree == ["a": .init(4, ["b": .init(2)])])
  }

  @Test("Of two nodes with one key in a literal the latter stays")
  func twice() {
    let tree: Tree = ["a": .init(1), "a": .init(2)]
    #expect(tree == ["a": .init(2)])
  }
}
