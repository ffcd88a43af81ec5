import Millrace
import Testing

@testable import MillraceReconcile

@Suite("ReconciledPath")
struct ReconciledPathTests {
  typealias Path = ReconciledPath<String>

  /// One case of the table that ReSwift-Router's users know.
  struct Row: CustomTestStringConvertible {
    let name: String
    let from: Path
    let to: Path
    let operations: [Path.Operation]

    init(_ name: String, _ from: Path, _ to: Path, _ operations: [Path.Operation]) {
      self.name = name
      self.from = from
      self.to = to
      self.operations = operations
    }

    var testDescription: String { name }
  }

  static let rows: [Row] = [
    Row("from empty to empty", [], [], []),
    Row("equal", ["a", "b"], ["a", "b"], []),
    Row("from empty", [], ["a", "b"], [.push("a", at: 0), .push("b", at: 1)]),
    Row("to empty", ["a", "b"], [], [.pop("b", at: 1), .pop("a", at: 0)]),
    Row("to a prefix", ["a", "b", "c"], ["a"], [.pop("c", at: 2), .pop("b", at: 1)]),
    Row("to a prefix that is one shorter", ["a", "b"], ["a"], [.pop("b", at: 1)]),
    Row("from a prefix", ["a"], ["a", "b", "c"], [.push("b", at: 1), .push("c", at: 2)]),
    Row("another last element", ["a", "b"], ["a", "c"], [.change(at: 1, from: "b", to: "c")]),
    Row(
      "another last element, and longer", ["a", "b"], ["a", "c", "d"],
      [
        .change(at: 1, from: "b", to: "c"), .push("d", at: 2),
      ]),
    Row(
      "another last element, and shorter", ["a", "b", "c"], ["a", "d"],
      [
        .pop("c", at: 2), .change(at: 1, from: "b", to: "d"),
      ]),
    Row(
      "another middle element", ["a", "b", "c"], ["a", "d", "e"],
      [
        .pop("c", at: 2), .change(at: 1, from: "b", to: "d"), .push("e", at: 2),
      ]),
    Row(
      "another middle element, the same last one", ["a", "b", "c"], ["a", "d", "c"],
      [
        .pop("c", at: 2), .change(at: 1, from: "b", to: "d"), .push("c", at: 2),
      ]),
    Row("another root", ["a"], ["b"], [.change(at: 0, from: "a", to: "b")]),
    Row(
      "nothing in common", ["a", "b"], ["c", "d", "e"],
      [
        .pop("b", at: 1), .change(at: 0, from: "a", to: "c"), .push("d", at: 1), .push("e", at: 2),
      ]),
    Row("equal elements in a row", ["a", "a"], ["a", "a", "a"], [.push("a", at: 2)]),
  ]

  @Test("A path pops down to the common part, changes once where both differ, and pushes the rest", arguments: rows)
  func operations(row: Row) {
    #expect(row.from.operations(toward: row.to) == row.operations)
    row.from.expectToBecome(row.to)
  }

  @Test("The operations between any two paths lead from the one to the other", arguments: [1, 2] as [UInt64])
  func law(seed: UInt64) {
    Path.expectLaw(pairs: 3_000, seed: seed)
  }

  @Test(
    "An operation whose position does not fit changes nothing",
    arguments: [
      .pop("a", at: 0), .pop("b", at: 2), .pop("a", at: -1), .change(at: 2, from: "b", to: "c"),
      .change(at: -1, from: "b", to: "c"), .push("c", at: 0), .push("c", at: 3),
    ] as [Path.Operation])
  func misfit(operation: Path.Operation) {
    var path: Path = ["a", "b"]
    path.apply(operation)
    #expect(path == ["a", "b"])
    var empty: Path = []
    empty.apply(.pop("a", at: -1))
    #expect(empty == [])
  }
}
