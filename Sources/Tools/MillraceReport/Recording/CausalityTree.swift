import Millrace

/// The actions that are shown, and which of them was sent by the run of which.
struct CausalityTree: Sendable {
  /// An action with its run.
  struct Node: Sendable, Equatable {
    var run: RunID
    /// The run that sent it, whether that is shown or not.
    var parent: RunID?
    var text: String
    var isAccepted: Bool
    var start: Int64
    var end: Int64?
    var outcome: Outcome.Kind?
    /// The text of the error that the action ended with.
    var error: String?
  }

  private(set) var nodes: [Node] = []
  private var indices: [RunID: Int] = [:]

  mutating func add(_ node: Node) {
    indices[node.run] = nodes.count
    nodes.append(node)
  }

  mutating func end(_ run: RunID, at time: Int64, _ outcome: Outcome.Kind, error: String?) {
    guard let index = indices[run] else { return }
    nodes[index].end = time
    nodes[index].outcome = outcome
    nodes[index].error = error
  }

  func contains(_ run: RunID) -> Bool { indices[run] != nil }

  /// Each action behind the one whose run sent it, with its depth.
  ///
  /// Without recursion, for a chain may be as long as the recording. A run that is its own ancestor, which only a file that was
  /// written by hand can say, is shown as a beginning.
  var inOrder: [(node: Node, depth: Int)] {
    var children: [Int: [Int]] = [:]
    var beginnings: [Int] = []
    for (index, node) in nodes.enumerated() {
      // A sender stands before what it sent, in the file as in time.
      if let parent = node.parent.flatMap({ indices[$0] }), parent < index {
        children[parent, default: []].append(index)
      } else {
        beginnings.append(index)
      }
    }
    var order: [(Node, Int)] = []
    var rest = beginnings.reversed().map { (index: $0, depth: 0) }
    while let next = rest.popLast() {
      order.append((nodes[next.index], next.depth))
      rest += (children[next.index] ?? []).reversed().map { ($0, next.depth + 1) }
    }
    return order
  }
}
