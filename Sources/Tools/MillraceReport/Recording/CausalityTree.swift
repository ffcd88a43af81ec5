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
  private var places: [RunID: Int] = [:]

  mutating func add(_ node: Node) {
    places[node.run] = nodes.count
    nodes.append(node)
  }

  mutating func end(_ run: RunID, at time: Int64, _ outcome: Outcome.Kind, error: String?) {
    guard let place = places[run] else { return }
    nodes[place].end = time
    nodes[place].outcome = outcome
    nodes[place].error = error
  }

  func contains(_ run: RunID) -> Bool { places[run] != nil }

  /// Each action behind the one whose run sent it, with its depth.
  ///
  /// Without recursion, for a chain may be as long as the recording. A run that is its own ancestor, which only a file that was
  /// written by hand can say, is shown as a beginning.
  var inOrder: [(node: Node, depth: Int)] {
    var children: [Int: [Int]] = [:]
    var beginnings: [Int] = []
    for (index, node) in nodes.enumerated() {
      // A sender stands before what it sent, in the file as in time.
      if let place = node.parent.flatMap({ places[$0] }), place < index {
        children[place, default: []].append(index)
      } else {
        beginnings.append(index)
      }
    }
    var order: [(Node, Int)] = []
    var rest = beginnings.reversed().map { (place: $0, depth: 0) }
    while let next = rest.popLast() {
      order.append((nodes[next.place], next.depth))
      rest += (children[next.place] ?? []).reversed().map { ($0, next.depth + 1) }
    }
    return order
  }
}
