/// The graph of the states that can be reached from one, breadth-first.
struct ModelSearch<State: Hashable, Step> {
  /// A step that changes the state; states are named by their indices in `states`.
  struct Edge {
    var from: Int
    var step: Step
    var to: Int
  }

  /// The states in the order in which they were found.
  private(set) var states: [State]
  /// The steps between them, by the state from which they lead.
  private(set) var edges: [Edge] = []
  /// The states that lead to one that was not kept, because there were too many.
  private(set) var cut: Set<Int> = []

  private let maximum: Int
  private var indexes: [State: Int]
  /// Of each state the edge that led to it first; nil for the first one.
  private var arrivals: [Int?] = [nil]

  init(from initial: State, maximum: Int) {
    states = [initial]
    indexes = [initial: 0]
    self.maximum = maximum
  }

  /// Finds all that `next` leads to.
  mutating func explore(_ next: (State) -> [(step: Step, state: State)]) {
    var index = 0
    while index < states.count {
      for (step, state) in next(states[index]) where state != states[index] {
        guard let to = keep(state) else {
          cut.insert(index)
          continue
        }
        edges.append(Edge(from: index, step: step, to: to))
        if to == arrivals.count { arrivals.append(edges.count - 1) }
      }
      index += 1
    }
  }

  /// The index of a state; nil if it is a new one, and there is no room.
  private mutating func keep(_ state: State) -> Int? {
    if let index = indexes[state] { return index }
    guard states.count < maximum else { return nil }
    states.append(state)
    indexes[state] = states.count - 1
    return states.count - 1
  }

  /// The edges of a shortest path to a state.
  func path(to index: Int) -> [Edge] {
    var path: [Edge] = []
    var index = index
    while arrivals.indices.contains(index), let arrival = arrivals[index] {
      path.append(edges[arrival])
      index = edges[arrival].from
    }
    return path.reversed()
  }

  /// The states that satisfy a predicate and lead to none that does not; where the search was cut, there may be one.
  func states(withoutWayOutOf predicate: (State) -> Bool) -> [Int] {
    var origins: [Int: [Int]] = [:]
    for edge in edges { origins[edge.to, default: []].append(edge.from) }
    var isFree = states.indices.map { cut.contains($0) || !predicate(states[$0]) }
    var open = states.indices.filter { isFree[$0] }
    while let index = open.popLast() {
      for origin in origins[index] ?? [] where !isFree[origin] {
        isFree[origin] = true
        open.append(origin)
      }
    }
    return states.indices.filter { !isFree[$0] }
  }
}

extension ModelSearch.Edge: Sendable where Step: Sendable {}
extension ModelSearch: Sendable where State: Sendable, Step: Sendable {}
