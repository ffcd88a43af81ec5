import Millrace

/// Level 6 of ten.
struct Floor6: Interactor {
  struct State: Sendable {
    var visits = 0
    var below: Floor5.State
  }

  enum Action: Sendable {
    case visit
    case below(Floor5.Action)
  }

  enum Mutation: Sendable {
    case visited
    case below(Floor5.Mutation)
  }

  enum Stairs: Scope {
    typealias Parent = Floor6
    typealias Child = Floor5

    static func state(of parent: Floor6.State) -> Floor5.State { parent.below }
    static func mutation(_ mutation: Floor5.Mutation) -> Floor6.Mutation { .below(mutation) }
  }

  let below = Scoped<Stairs>(Floor5())

  @inline(__always)
  func plan(for action: Action) -> Plan {
    switch action {
    case .visit: .concurrent
    case .below(let action): below.plan(for: action)
    }
  }

  @inline(__always)
  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .visit: .mutate(.visited)
    case .below(let action): below.decide(action, state: state)
    }
  }

  func handle(_ action: Action, state: State) async -> Effect<Self> {
    switch action {
    case .visit: .none
    case .below(let action): await below.handle(action, state: state)
    }
  }

  @inline(__always)
  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .visited: state.visits += 1
    case .below(let mutation): Floor5.reduce(into: &state.below, mutation: mutation)
    }
  }
}

/// Level 7 of ten.
struct Floor7: Interactor {
  struct State: Sendable {
    var visits = 0
    var below: Floor6.State
  }

  enum Action: Sendable {
    case visit
    case below(Floor6.Action)
  }

  enum Mutation: Sendable {
    case visited
    case below(Floor6.Mutation)
  }

  enum Stairs: Scope {
    typealias Parent = Floor7
    typealias Child = Floor6

    static func state(of parent: Floor7.State) -> Floor6.State { parent.below }
    static func mutation(_ mutation: Floor6.Mutation) -> Floor7.Mutation { .below(mutation) }
  }

  let below = Scoped<Stairs>(Floor6())

  @inline(__always)
  func plan(for action: Action) -> Plan {
    switch action {
    case .visit: .concurrent
    case .below(let action): below.plan(for: action)
    }
  }

  @inline(__always)
  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .visit: .mutate(.visited)
    case .below(let action): below.decide(action, state: state)
    }
  }

  func handle(_ action: Action, state: State) async -> Effect<Self> {
    switch action {
    case .visit: .none
    case .below(let action): await below.handle(action, state: state)
    }
  }

  @inline(__always)
  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .visited: state.visits += 1
    case .below(let mutation): Floor6.reduce(into: &state.below, mutation: mutation)
    }
  }
}

/// Level 8 of ten.
struct Floor8: Interactor {
  struct State: Sendable {
    var visits = 0
    var below: Floor7.State
  }

  enum Action: Sendable {
    case visit
    case below(Floor7.Action)
  }

  enum Mutation: Sendable {
    case visited
    case below(Floor7.Mutation)
  }

  enum Stairs: Scope {
    typealias Parent = Floor8
    typealias Child = Floor7

    static func state(of parent: Floor8.State) -> Floor7.State { parent.below }
    static func mutation(_ mutation: Floor7.Mutation) -> Floor8.Mutation { .below(mutation) }
  }

  let below = Scoped<Stairs>(Floor7())

  @inline(__always)
  func plan(for action: Action) -> Plan {
    switch action {
    case .visit: .concurrent
    case .below(let action): below.plan(for: action)
    }
  }

  @inline(__always)
  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .visit: .mutate(.visited)
    case .below(let action): below.decide(action, state: state)
    }
  }

  func handle(_ action: Action, state: State) async -> Effect<Self> {
    switch action {
    case .visit: .none
    case .below(let action): await below.handle(action, state: state)
    }
  }

  @inline(__always)
  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .visited: state.visits += 1
    case .below(let mutation): Floor7.reduce(into: &state.below, mutation: mutation)
    }
  }
}

/// Level 9 of ten.
struct Floor9: Interactor {
  struct State: Sendable {
    var visits = 0
    var below: Floor8.State
  }

  enum Action: Sendable {
    case visit
    case below(Floor8.Action)
  }

  enum Mutation: Sendable {
    case visited
    case below(Floor8.Mutation)
  }

  enum Stairs: Scope {
    typealias Parent = Floor9
    typealias Child = Floor8

    static func state(of parent: Floor9.State) -> Floor8.State { parent.below }
    static func mutation(_ mutation: Floor8.Mutation) -> Floor9.Mutation { .below(mutation) }
  }

  let below = Scoped<Stairs>(Floor8())

  @inline(__always)
  func plan(for action: Action) -> Plan {
    switch action {
    case .visit: .concurrent
    case .below(let action): below.plan(for: action)
    }
  }

  @inline(__always)
  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .visit: .mutate(.visited)
    case .below(let action): below.decide(action, state: state)
    }
  }

  func handle(_ action: Action, state: State) async -> Effect<Self> {
    switch action {
    case .visit: .none
    case .below(let action): await below.handle(action, state: state)
    }
  }

  @inline(__always)
  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .visited: state.visits += 1
    case .below(let mutation): Floor8.reduce(into: &state.below, mutation: mutation)
    }
  }
}

/// Level 10 of ten.
struct Floor10: Interactor {
  struct State: Sendable {
    var visits = 0
    var below: Floor9.State
  }

  enum Action: Sendable {
    case visit
    case below(Floor9.Action)
  }

  enum Mutation: Sendable {
    case visited
    case below(Floor9.Mutation)
  }

  enum Stairs: Scope {
    typealias Parent = Floor10
    typealias Child = Floor9

    static func state(of parent: Floor10.State) -> Floor9.State { parent.below }
    static func mutation(_ mutation: Floor9.Mutation) -> Floor10.Mutation { .below(mutation) }
  }

  let below = Scoped<Stairs>(Floor9())

  @inline(__always)
  func plan(for action: Action) -> Plan {
    switch action {
    case .visit: .concurrent
    case .below(let action): below.plan(for: action)
    }
  }

  @inline(__always)
  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .visit: .mutate(.visited)
    case .below(let action): below.decide(action, state: state)
    }
  }

  func handle(_ action: Action, state: State) async -> Effect<Self> {
    switch action {
    case .visit: .none
    case .below(let action): await below.handle(action, state: state)
    }
  }

  @inline(__always)
  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .visited: state.visits += 1
    case .below(let mutation): Floor9.reduce(into: &state.below, mutation: mutation)
    }
  }
}
