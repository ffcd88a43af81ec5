import Millrace

/// Actions that wait for one another, so that none of them can continue.
struct Deadlock: CustomStringConvertible {
  /// The runs, each of which waits for the next one, and the last one for the first.
  let runs: [RunID]

  /// Finds one among the actions of all stores; nil if there is none.
  init?(among actions: [OpenAction]) {
    var next: [RunID: [RunID]] = [:]
    for action in actions {
      guard let run = action.run else { continue }
      next[run, default: []] += action.waitsFor
      // The handler that waits for an outcome belongs to the run that sent the action.
      if let waiting = action.awaitedBy { next[waiting, default: []].append(run) }
    }
    var seen: Set<RunID> = []
    for action in actions {
      if let run = action.run, let runs = Self.circle(from: run, next, &seen) {
        self.runs = runs
        return
      }
    }
    return nil
  }

  /// The first circle on the ways from a run, with each run looked at once.
  private static func circle(from first: RunID, _ next: [RunID: [RunID]], _ seen: inout Set<RunID>) -> [RunID]? {
    guard seen.insert(first).inserted else { return nil }
    var way = [(run: first, rest: next[first, default: []][...])]
    while var last = way.popLast() {
      guard let run = last.rest.popFirst() else { continue }
      way.append(last)
      if let start = way.firstIndex(where: { $0.run == run }) { return way[start...].map(\.run) }
      if seen.insert(run).inserted { way.append((run, next[run, default: []][...])) }
    }
    return nil
  }

  var description: String {
    let others = (runs.dropFirst() + runs.prefix(1)).map { "\($0)" }.joined(separator: ", which waits for ")
    return """
      deadlock, for \(runs[0]) waits for \(others); let all actions take their keys in one order, or let no handler wait for an action that \
      needs a key which its own action has
      """
  }
}
