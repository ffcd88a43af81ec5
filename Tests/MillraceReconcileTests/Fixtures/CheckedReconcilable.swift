import Millrace
import MillraceTesting
import Testing

@testable import MillraceReconcile

/// A value that knows which operations can be performed on it, and of which a test makes as many as it likes.
protocol CheckedReconcilable: Reconcilable {
  static func random(using generator: inout SeededGenerator) -> Self

  /// Whether the operation fits exactly, as a terminal or a service would see it that does nothing wrong.
  func permits(_ operation: Operation) -> Bool
}

extension CheckedReconcilable {
  /// Checks the law, that each operation can be performed when it is its turn, and that what is left is the same if it is
  /// asked for on the way.
  func expectToBecome(_ desired: Self, sourceLocation: SourceLocation = #_sourceLocation) {
    var now = self
    var left = operations(toward: desired)[...]
    while let operation = left.popFirst() {
      if !now.permits(operation) {
        Issue.record("\(operation) is not possible on \(now); \(self) → \(desired)", sourceLocation: sourceLocation)
      }
      now.apply(operation)
      // Once a way, and without a macro, for there are very many.
      if left.count == left.endIndex / 2, now.operations(toward: desired)[...] != left {
        Issue.record("From \(now) other operations are left; \(self) → \(desired)", sourceLocation: sourceLocation)
      }
    }
    if now != desired { Issue.record("\(self) → \(desired) became \(now).", sourceLocation: sourceLocation) }
  }

  /// Checks the law for `pairs` pairs, some of them equal.
  static func expectLaw(pairs: Int, seed: UInt64, sourceLocation: SourceLocation = #_sourceLocation) {
    var generator = SeededGenerator(seed: seed)
    var lengths: Set<Int> = []
    for _ in 0..<pairs {
      let (from, to) = (random(using: &generator), random(using: &generator))
      from.expectToBecome(to, sourceLocation: sourceLocation)
      if !from.operations(toward: from).isEmpty {
        Issue.record("\(from) is not left alone.", sourceLocation: sourceLocation)
      }
      lengths.insert(from.operations(toward: to).count)
    }
    #expect(lengths.isSuperset(of: 0...5), "The pairs are too much alike.", sourceLocation: sourceLocation)
  }
}

extension ReconciledPath: CheckedReconcilable where Element == String {
  static func random(using generator: inout SeededGenerator) -> ReconciledPath {
    let length = Int.random(in: 0...6, using: &generator)
    return ReconciledPath((0..<length).map { _ in Bool.random(using: &generator) ? "a" : "b" })
  }

  func permits(_ operation: Operation) -> Bool {
    let last = elements.count - 1
    return switch operation {
    case .pop(let element, let position): position == last && elements.last == element
    case .change(let position, let old, let new): position == last && elements.last == old && old != new
    case .push(_, let position): position == last + 1
    }
  }
}

extension ReconciledSet: CheckedReconcilable where Element == Int {
  static func random(using generator: inout SeededGenerator) -> ReconciledSet {
    ReconciledSet((0..<8).filter { _ in Bool.random(using: &generator) })
  }

  func permits(_ operation: Operation) -> Bool {
    switch operation {
    case .remove(let element): elements.contains(element)
    case .add(let element): !elements.contains(element)
    }
  }
}

extension ReconciledTree: CheckedReconcilable where Key == String, Value == Int {
  static func random(using generator: inout SeededGenerator) -> ReconciledTree {
    ReconciledTree(nodes(levels: 3, using: &generator))
  }

  private static func nodes(levels: Int, using generator: inout SeededGenerator) -> [String: Node] {
    guard levels > 0 else { return [:] }
    var nodes: [String: Node] = [:]
    for key in ["x", "y", "z"] where Bool.random(using: &generator) {
      nodes[key] = Node(Int.random(in: 0...2, using: &generator), self.nodes(levels: levels - 1, using: &generator))
    }
    return nodes
  }

  func permits(_ operation: Operation) -> Bool {
    switch operation {
    case .remove(let value, let path): self[path]?.value == value && self[path]?.children.isEmpty == true
    case .update(let path, let old, let new): self[path]?.value == old && old != new
    case .add(_, let path):
      !path.isEmpty && self[path] == nil && (path.count == 1 || self[path.dropLast()] != nil)
    }
  }
}
