import Millrace

// Ten levels of one interactor each, over one that decides. The interactors of a level share its state, action and mutation.

/// The state of a level.
struct LevelState<Below: Sendable>: Sendable {
  var visits = 0
  var below: Below
}

/// The action of a level.
enum LevelAction<Below: Sendable>: Sendable {
  case visit
  case below(Below)
}

/// The mutation of a level.
enum LevelMutation<Below: Sendable>: Sendable {
  case visited
  case below(Below)
}

/// A level with one child at a scope.
struct Level<Below: Interactor>: Interactor {
  typealias State = LevelState<Below.State>
  typealias Action = LevelAction<Below.Action>
  typealias Mutation = LevelMutation<Below.Mutation>

  enum Stairs: Scope {
    typealias Parent = Level<Below>
    typealias Child = Below

    static func state(of parent: State) -> Below.State { parent.below }
    static func mutation(_ mutation: Below.Mutation) -> Mutation { .below(mutation) }
  }

  let below: Scoped<Stairs>

  init(_ below: Below) {
    self.below = Scoped(below)
  }

  @inline(__always)
  func plan(for action: Action, state: State) -> Plan {
    switch action {
    case .visit: .concurrent
    case .below(let action): below.plan(for: action, state: state)
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
    case .below(let mutation): Below.reduce(into: &state.below, mutation: mutation)
    }
  }
}

/// A level with a key path and a closure for its scope.
struct KeyPathLevel<Below: Interactor>: Interactor {
  typealias State = LevelState<Below.State>
  typealias Action = LevelAction<Below.Action>
  typealias Mutation = LevelMutation<Below.Mutation>

  let below: KeyPathScoped<Self, Below>

  @inline(__always)
  init(_ below: Below) {
    self.below = KeyPathScoped(below, state: \.below) { .below($0) }
  }

  func plan(for action: Action, state: State) -> Plan {
    switch action {
    case .visit: .concurrent
    case .below(let action): below.plan(for: action, state: state)
    }
  }

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

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .visited: state.visits += 1
    case .below(let mutation): Below.reduce(into: &state.below, mutation: mutation)
    }
  }
}

typealias FiveLevels<Below: Interactor> = Level<Level<Level<Level<Level<Below>>>>>
typealias TenLevels = FiveLevels<FiveLevels<Deciding>>
typealias FiveKeyPathLevels<Below: Interactor> = KeyPathLevel<
  KeyPathLevel<KeyPathLevel<KeyPathLevel<KeyPathLevel<Below>>>>
>

/// Five levels over an interactor.
func fiveLevels<Below: Interactor>(over below: Below) -> FiveLevels<Below> {
  Level(Level(Level(Level(Level(below)))))
}

/// Five levels with key paths over an interactor.
@inline(__always)
func fiveKeyPathLevels<Below: Interactor>(over below: Below) -> FiveKeyPathLevels<Below> {
  KeyPathLevel(KeyPathLevel(KeyPathLevel(KeyPathLevel(KeyPathLevel(below)))))
}
