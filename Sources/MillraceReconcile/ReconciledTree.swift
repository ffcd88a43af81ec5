/// A keyed tree that is reconciled by removals from the leaves up, then updates, then additions from the parents down.
///
/// ```swift
/// let running: ReconciledTree = ["web": .init(1, ["log": .init(1)])]
/// running.operations(toward: ["web": .init(2), "db": .init(1)])
/// // remove 1 at ["web", "log"], update ["web"] from 1 to 2, add 1 at ["db"]
/// ```
///
/// No node goes before those below it, and none comes before the one above it. Siblings are taken in the ascending order of
/// their keys, so that equal trees give equal operations in every process. A tree of one level is a keyed collection: a
/// dictionary whose entries are removed, updated and added.
///
/// The levels are gone through by recursion: a tree may be as deep as the stack allows, thousands of levels.
public struct ReconciledTree<Key: Hashable & Comparable & Sendable, Value: Equatable & Sendable>: Reconcilable,
  ExpressibleByDictionaryLiteral
{
  /// A value, and the nodes below it, each by a key of its own.
  public struct Node: Sendable, Equatable {
    /// The value of this node.
    public var value: Value

    /// The nodes right below this one.
    public var children: [Key: Node]

    /// A node with a value and the nodes below it.
    public init(_ value: Value, _ children: [Key: Node] = [:]) {
      self.value = value
      self.children = children
    }
  }

  /// One step at one node, named by the keys that lead to it, the topmost first.
  public enum Operation: Sendable, Equatable {
    /// Takes away a node that has none below it.
    case remove(Value, at: [Key])
    /// Replaces the value of a node; its children remain.
    case update(at: [Key], from: Value, to: Value)
    /// Adds a node that has none below it yet.
    case add(Value, at: [Key])
  }

  /// The topmost nodes.
  public var children: [Key: Node]

  /// A tree with these topmost nodes.
  public init(_ children: [Key: Node] = [:]) {
    self.children = children
  }

  /// A tree with these topmost nodes; of two with one key the latter stays.
  public init(dictionaryLiteral elements: (Key, Node)...) {
    children = Dictionary(elements) { $1 }
  }

  /// The node that these keys lead to, or nil; there is none for no keys.
  public subscript(path: [Key]) -> Node? {
    guard let first = path.first else { return nil }
    return path.dropFirst().reduce(children[first]) { $0?.children[$1] }
  }

  /// The removals, then the updates, then the additions that lead to the desired tree.
  public func operations(toward desired: ReconciledTree) -> [Operation] {
    var difference = Difference()
    difference.compare(children, desired.children, at: [])
    return difference.removals + difference.updates + difference.additions
  }

  /// Applies an operation that was performed to this tree; one whose node or parent is missing changes nothing.
  public mutating func apply(_ operation: Operation) {
    switch operation {
    case .remove(_, let path): Self.change(&children, at: path[...]) { $0 = nil }
    case .update(let path, _, let value): Self.change(&children, at: path[...]) { $0?.value = value }
    case .add(let value, let path): Self.change(&children, at: path[...]) { $0 = Node(value, $0?.children ?? [:]) }
    }
  }

  private static func change(_ children: inout [Key: Node], at path: ArraySlice<Key>, _ change: (inout Node?) -> Void) {
    guard let key = path.first else { return }
    let rest = path.dropFirst()
    if rest.isEmpty { return change(&children[key]) }
    guard children[key] != nil else { return }
    Self.change(&children[key]!.children, at: rest, change)
  }
}

extension ReconciledTree {
  /// The differences between two trees, in the order of the operations.
  private struct Difference {
    var removals: [Operation] = []
    var updates: [Operation] = []
    var additions: [Operation] = []

    mutating func compare(_ old: [Key: Node], _ new: [Key: Node], at path: [Key]) {
      for key in Set(old.keys).union(new.keys).sorted() {
        let path = path + [key]
        let (before, after) = (old[key], new[key])
        if before == nil, let after { additions.append(.add(after.value, at: path)) }
        if let before, let after, before.value != after.value {
          updates.append(.update(at: path, from: before.value, to: after.value))
        }
        compare(before?.children ?? [:], after?.children ?? [:], at: path)
        if let before, after == nil { removals.append(.remove(before.value, at: path)) }
      }
    }
  }
}

extension ReconciledTree: Hashable where Value: Hashable {}
extension ReconciledTree.Node: Hashable where Value: Hashable {}
