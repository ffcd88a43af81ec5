import Millrace

/// Children by number, each with a tally, and a tally of the parent's own.
struct Counters: Interactor {
  struct State: Sendable {
    var counters: [Int: Tally]
    var own = Tally()

    /// A state with this number of children.
    init(_ count: Int) {
      counters = Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, Tally()) })
    }
  }

  enum Action: Sendable {
    case counter(Int, Counter.Action)
    case own(Change)
    case removingNone(Change)
    case naming(Int, Change)
  }

  enum Mutation: Sendable {
    case counter(Int, Change)
    case own(Change)
    /// The scope of the children says that it removes none.
    case removingNone(Change)
    /// The scope of the children says that it may remove this one.
    case naming(Int, Change)
  }

  let counters = Scoped<CounterScope>(Counter())

  @inline(__always)
  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .counter(let number, let action): counters.decide(action, of: number, state: state)
    case .own(let change): .mutate(.own(change))
    case .removingNone(let change): .mutate(.removingNone(change))
    case .naming(let number, let change): .mutate(.naming(number, change))
    }
  }

  func handle(_ action: Action, state: State) async -> Effect<Self> {
    switch action {
    case .counter(let number, let action): await counters.handle(action, of: number, state: state)
    case .own, .removingNone, .naming: .none
    }
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .counter(let number, let change): CounterScope.reduce(into: &state, id: number, mutation: change)
    case .own(let change), .removingNone(let change), .naming(_, let change): apply(change, to: &state.own)
    }
  }
}

enum CounterScope: EachScope {
  typealias Parent = Counters
  typealias Child = Counter

  static func state(of id: Int, in parent: Counters.State) -> Tally? { parent.counters[id] }
  static func mutation(_ mutation: Change, of id: Int) -> Counters.Mutation { .counter(id, mutation) }
  static func update(_ id: Int, in parent: inout Counters.State, _ body: (inout Tally) -> Void) {
    guard let index = parent.counters.index(forKey: id) else { return }
    body(&parent.counters.values[index])
  }

  static func mayRemoveChildren(_ mutation: Counters.Mutation) -> [Int]? {
    switch mutation {
    case .counter, .own: nil
    case .removingNone: []
    case .naming(let number, _): [number]
    }
  }
}

/// A child whose run does what its action says.
struct Counter: Interactor {
  enum Action: Sendable {
    case decide(Change)
    case handle(@Sendable (Run<Counter>) async throws -> Void)
  }

  @inline(__always)
  func decide(_ action: Action, state: Tally) -> Decision<Change> {
    switch action {
    case .decide(let change): .mutate(change)
    case .handle: .handle
    }
  }

  func handle(_ action: Action, state: Tally) async -> Effect<Self> {
    guard case .handle(let body) = action else { return .none }
    return Effect { run in try await body(run) }
  }

  static func reduce(into state: inout Tally, mutation: Change) {
    apply(mutation, to: &state)
  }
}
