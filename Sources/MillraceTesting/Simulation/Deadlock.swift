import Millrace

/// Actions, or tasks, that wait for one another, so that none of them can continue.
struct Deadlock: CustomStringConvertible {
  let description: String

  /// Finds one among the actions of all stores; nil if there is none.
  init?(among actions: [OpenAction]) {
    var next: [RunID: [RunID]] = [:]
    for action in actions {
      guard let run = action.run else { continue }
      next[run, default: []] += action.waitsFor
      // The handler that waits for an outcome belongs to the run that sent the action.
      if let waiting = action.awaitedBy { next[waiting, default: []].append(run) }
    }
    guard let runs = Self.circle(among: actions.lazy.compactMap(\.run), next) else { return nil }
    description = Self.sentence(
      runs.map { "\($0)" }, "waits for",
      "let all actions take their keys in one order, or let no handler wait for an action that needs a key which its own action has"
    )
  }

  /// Finds one among tasks that have awaited the value of another task; nil if there is none.
  ///
  /// A task does not end before a task whose value it has awaited. So tasks in a circle have not ended, and never will.
  ///
  /// - Parameters:
  ///   - awaits: The task that each task has awaited last, by their numbers.
  ///   - name: The name of a task.
  init?(among awaits: [Int: Int], named name: (Int) -> String) {
    guard let tasks = Self.circle(among: awaits.keys.sorted(), awaits.mapValues { [$0] }) else { return nil }
    description = Self.sentence(
      tasks.map(name), "awaits the value of",
      "let no task await the value of a task that awaits its own, itself or through others")
  }

  /// - Parameters:
  ///   - names: The members of a circle, each of which waits for the next one, and the last one for the first.
  ///   - waits: The words between two of them.
  ///   - fix: The end of the sentence.
  private static func sentence(_ names: [String], _ waits: String, _ fix: String) -> String {
    let others = (names.dropFirst() + names.prefix(1)).joined(separator: ", which \(waits) ")
    return "deadlock, for \(names[0]) \(waits) \(others); \(fix)"
  }

  /// The first circle on the ways from some nodes, with each node looked at once; nil if there is none.
  private static func circle<Node: Hashable>(among nodes: some Sequence<Node>, _ next: [Node: [Node]]) -> [Node]? {
    var seen: Set<Node> = []
    for first in nodes where seen.insert(first).inserted {
      var way = [(node: first, rest: next[first, default: []][...])]
      while var last = way.popLast() {
        guard let node = last.rest.popFirst() else { continue }
        way.append(last)
        if let start = way.firstIndex(where: { $0.node == node }) { return way[start...].map(\.node) }
        if seen.insert(node).inserted { way.append((node, next[node, default: []][...])) }
      }
    }
    return nil
  }
}
