import Millrace

// Ten levels, each with one child at a scope, written out as a service would: the compiler sees through concrete types. The
// upper five have a file of their own.

/// The lowest of ten levels, over one that decides.
struct Floor1: Interactor {
  struct State: Sendable {
    var visits = 0
    var below: Deciding.State
  }

  enum Action: Sendable {
    case visit
    case below(Deciding.Action)
  }

  enum Mutation: Sendable {
    case visited
    case below(Deciding.Mutation)
  }

  enum Stairs: Scope {
    typealias Parent = Floor1
    typealias Child = Deciding

    static func state(of parent: Floor1.State) -> Deciding.State { parent.below }
    static func mutation(_ mutation: Deciding.Mutation) -> Floor1.Mutation { .below(mutation) }
  }

  let below = Scoped<Stairs>(Deciding())

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
    case .below(let mutation): Deciding.reduce(into: &state.below, mutation: mutation)
    }
  }
}

/// Level 2 of ten.
struct Floor2: Interactor {
  struct State: Sendable {
    var visits = 0
    var below: Floor1.State
  }

  enum Action: Sendable {
    case visit
    case below(Floor1.Action)
  }

  enum Mutation: Sendable {
    case visited
    case below(Floor1.Mutation)
  }

  enum Stairs: Scope {
    typealias Parent = Floor2
    typealias Child = Floor1

    static func state(of parent: Floor2.State) -> Floor1.State { parent.below }
    static func mutation(_ mutation: Floor1.Mutation) -> Floor2.Mutation { .below(mutation) }
  }

  let below = Scoped<Stairs>(Floor1())

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
    case .below(let mutation): Floor1.reduce(into: &state.below, mutation: mutation)
    }
  }
}

/// Level 3 of ten.
struct Floor3: Interactor {
  struct State: Sendable {
    var visits = 0
    var below: Floor2.State
  }

  enum Action: Sendable {
    case visit
    case below(Floor2.Action)
  }

  enum Mutation: Sendable {
    case visited
    case below(Floor2.Mutation)
  }

  enum Stairs: Scope {
    typealias Parent = Floor3
    typealias Child = Floor2

    static func state(of parent: Floor3.State) -> Floor2.State { parent.below }
    static func mutation(_ mutation: Floor2.Mutation) -> Floor3.Mutation { .below(mutation) }
  }

  let below = Scoped<Stairs>(Floor2())

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
    case .below(let mutation): Floor2.reduce(into: &state.below, mutation: mutation)
    }
  }
}

/// Level 4 of ten.
struct Floor4: Interactor {
  struct State: Sendable {
    var visits = 0
    var below: Floor3.State
  }

  enum Action: Sendable {
    case visit
    case below(Floor3.Action)
  }

  enum Mutation: Sendable {
    case visited
    case below(Floor3.Mutation)
  }

  enum Stairs: Scope {
    typealias Parent = Floor4
    typealias Child = Floor3

    static func state(of parent: Floor4.State) -> Floor3.State { parent.below }
    static func mutation(_ mutation: Floor3.Mutation) -> Floor4.Mutation { .below(mutation) }
  }

  let below = Scoped<Stairs>(Floor3())

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
    case .below(let mutation): Floor3.reduce(into: &state.below, mutation: mutation)
    }
  }
}

/// Level 5 of ten.
struct Floor5: Interactor {
  struct State: Sendable {
    var visits = 0
    var below: Floor4.State
  }

  enum Action: Sendable {
    case visit
    case below(Floor4.Action)
  }

  enum Mutation: Sendable {
    case visited
    case below(Floor4.Mutation)
  }

  enum Stairs: Scope {
    typealias Parent = Floor5
    typealias Child = Floor4

    static func state(of parent: Floor5.State) -> Floor4.State { parent.below }
    static func mutation(_ mutation: Floor4.Mutation) -> Floor5.Mutation { .below(mutation) }
  }

  let below = Scoped<Stairs>(Floor4())

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
    case .below(let mutation): Floor4.reduce(into: &state.below, mutation: mutation)
    }
  }
}
