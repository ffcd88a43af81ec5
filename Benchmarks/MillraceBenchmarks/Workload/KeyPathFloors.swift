import Millrace

// The ten levels of `Floor10`, with a key path and a closure for each scope.

/// Level 1 of ten.
struct KeyPathFloor1: Interactor {
  let below = KeyPathScoped<Self, Deciding>(Deciding(), state: \.below) { .below($0) }

  func plan(for action: Floor1.Action) -> Plan {
    switch action {
    case .visit: .concurrent
    case .below(let action): below.plan(for: action)
    }
  }

  func decide(_ action: Floor1.Action, state: Floor1.State) -> Decision<Floor1.Mutation> {
    switch action {
    case .visit: .mutate(.visited)
    case .below(let action): below.decide(action, state: state)
    }
  }

  func handle(_ action: Floor1.Action, state: Floor1.State) async -> Effect<Self> {
    switch action {
    case .visit: .none
    case .below(let action): await below.handle(action, state: state)
    }
  }

  static func reduce(into state: inout Floor1.State, mutation: Floor1.Mutation) {
    Floor1.reduce(into: &state, mutation: mutation)
  }
}

/// Level 2 of ten.
struct KeyPathFloor2: Interactor {
  let below = KeyPathScoped<Self, KeyPathFloor1>(KeyPathFloor1(), state: \.below) { .below($0) }

  func plan(for action: Floor2.Action) -> Plan {
    switch action {
    case .visit: .concurrent
    case .below(let action): below.plan(for: action)
    }
  }

  func decide(_ action: Floor2.Action, state: Floor2.State) -> Decision<Floor2.Mutation> {
    switch action {
    case .visit: .mutate(.visited)
    case .below(let action): below.decide(action, state: state)
    }
  }

  func handle(_ action: Floor2.Action, state: Floor2.State) async -> Effect<Self> {
    switch action {
    case .visit: .none
    case .below(let action): await below.handle(action, state: state)
    }
  }

  static func reduce(into state: inout Floor2.State, mutation: Floor2.Mutation) {
    Floor2.reduce(into: &state, mutation: mutation)
  }
}

/// Level 3 of ten.
struct KeyPathFloor3: Interactor {
  let below = KeyPathScoped<Self, KeyPathFloor2>(KeyPathFloor2(), state: \.below) { .below($0) }

  func plan(for action: Floor3.Action) -> Plan {
    switch action {
    case .visit: .concurrent
    case .below(let action): below.plan(for: action)
    }
  }

  func decide(_ action: Floor3.Action, state: Floor3.State) -> Decision<Floor3.Mutation> {
    switch action {
    case .visit: .mutate(.visited)
    case .below(let action): below.decide(action, state: state)
    }
  }

  func handle(_ action: Floor3.Action, state: Floor3.State) async -> Effect<Self> {
    switch action {
    case .visit: .none
    case .below(let action): await below.handle(action, state: state)
    }
  }

  static func reduce(into state: inout Floor3.State, mutation: Floor3.Mutation) {
    Floor3.reduce(into: &state, mutation: mutation)
  }
}

/// Level 4 of ten.
struct KeyPathFloor4: Interactor {
  let below = KeyPathScoped<Self, KeyPathFloor3>(KeyPathFloor3(), state: \.below) { .below($0) }

  func plan(for action: Floor4.Action) -> Plan {
    switch action {
    case .visit: .concurrent
    case .below(let action): below.plan(for: action)
    }
  }

  func decide(_ action: Floor4.Action, state: Floor4.State) -> Decision<Floor4.Mutation> {
    switch action {
    case .visit: .mutate(.visited)
    case .below(let action): below.decide(action, state: state)
    }
  }

  func handle(_ action: Floor4.Action, state: Floor4.State) async -> Effect<Self> {
    switch action {
    case .visit: .none
    case .below(let action): await below.handle(action, state: state)
    }
  }

  static func reduce(into state: inout Floor4.State, mutation: Floor4.Mutation) {
    Floor4.reduce(into: &state, mutation: mutation)
  }
}

/// Level 5 of ten.
struct KeyPathFloor5: Interactor {
  let below = KeyPathScoped<Self, KeyPathFloor4>(KeyPathFloor4(), state: \.below) { .below($0) }

  func plan(for action: Floor5.Action) -> Plan {
    switch action {
    case .visit: .concurrent
    case .below(let action): below.plan(for: action)
    }
  }

  func decide(_ action: Floor5.Action, state: Floor5.State) -> Decision<Floor5.Mutation> {
    switch action {
    case .visit: .mutate(.visited)
    case .below(let action): below.decide(action, state: state)
    }
  }

  func handle(_ action: Floor5.Action, state: Floor5.State) async -> Effect<Self> {
    switch action {
    case .visit: .none
    case .below(let action): await below.handle(action, state: state)
    }
  }

  static func reduce(into state: inout Floor5.State, mutation: Floor5.Mutation) {
    Floor5.reduce(into: &state, mutation: mutation)
  }
}

/// Level 6 of ten.
struct KeyPathFloor6: Interactor {
  let below = KeyPathScoped<Self, KeyPathFloor5>(KeyPathFloor5(), state: \.below) { .below($0) }

  func plan(for action: Floor6.Action) -> Plan {
    switch action {
    case .visit: .concurrent
    case .below(let action): below.plan(for: action)
    }
  }

  func decide(_ action: Floor6.Action, state: Floor6.State) -> Decision<Floor6.Mutation> {
    switch action {
    case .visit: .mutate(.visited)
    case .below(let action): below.decide(action, state: state)
    }
  }

  func handle(_ action: Floor6.Action, state: Floor6.State) async -> Effect<Self> {
    switch action {
    case .visit: .none
    case .below(let action): await below.handle(action, state: state)
    }
  }

  static func reduce(into state: inout Floor6.State, mutation: Floor6.Mutation) {
    Floor6.reduce(into: &state, mutation: mutation)
  }
}

/// Level 7 of ten.
struct KeyPathFloor7: Interactor {
  let below = KeyPathScoped<Self, KeyPathFloor6>(KeyPathFloor6(), state: \.below) { .below($0) }

  func plan(for action: Floor7.Action) -> Plan {
    switch action {
    case .visit: .concurrent
    case .below(let action): below.plan(for: action)
    }
  }

  func decide(_ action: Floor7.Action, state: Floor7.State) -> Decision<Floor7.Mutation> {
    switch action {
    case .visit: .mutate(.visited)
    case .below(let action): below.decide(action, state: state)
    }
  }

  func handle(_ action: Floor7.Action, state: Floor7.State) async -> Effect<Self> {
    switch action {
    case .visit: .none
    case .below(let action): await below.handle(action, state: state)
    }
  }

  static func reduce(into state: inout Floor7.State, mutation: Floor7.Mutation) {
    Floor7.reduce(into: &state, mutation: mutation)
  }
}

/// Level 8 of ten.
struct KeyPathFloor8: Interactor {
  let below = KeyPathScoped<Self, KeyPathFloor7>(KeyPathFloor7(), state: \.below) { .below($0) }

  func plan(for action: Floor8.Action) -> Plan {
    switch action {
    case .visit: .concurrent
    case .below(let action): below.plan(for: action)
    }
  }

  func decide(_ action: Floor8.Action, state: Floor8.State) -> Decision<Floor8.Mutation> {
    switch action {
    case .visit: .mutate(.visited)
    case .below(let action): below.decide(action, state: state)
    }
  }

  func handle(_ action: Floor8.Action, state: Floor8.State) async -> Effect<Self> {
    switch action {
    case .visit: .none
    case .below(let action): await below.handle(action, state: state)
    }
  }

  static func reduce(into state: inout Floor8.State, mutation: Floor8.Mutation) {
    Floor8.reduce(into: &state, mutation: mutation)
  }
}

/// Level 9 of ten.
struct KeyPathFloor9: Interactor {
  let below = KeyPathScoped<Self, KeyPathFloor8>(KeyPathFloor8(), state: \.below) { .below($0) }

  func plan(for action: Floor9.Action) -> Plan {
    switch action {
    case .visit: .concurrent
    case .below(let action): below.plan(for: action)
    }
  }

  func decide(_ action: Floor9.Action, state: Floor9.State) -> Decision<Floor9.Mutation> {
    switch action {
    case .visit: .mutate(.visited)
    case .below(let action): below.decide(action, state: state)
    }
  }

  func handle(_ action: Floor9.Action, state: Floor9.State) async -> Effect<Self> {
    switch action {
    case .visit: .none
    case .below(let action): await below.handle(action, state: state)
    }
  }

  static func reduce(into state: inout Floor9.State, mutation: Floor9.Mutation) {
    Floor9.reduce(into: &state, mutation: mutation)
  }
}

/// Level 10 of ten.
struct KeyPathFloor10: Interactor {
  let below = KeyPathScoped<Self, KeyPathFloor9>(KeyPathFloor9(), state: \.below) { .below($0) }

  func plan(for action: Floor10.Action) -> Plan {
    switch action {
    case .visit: .concurrent
    case .below(let action): below.plan(for: action)
    }
  }

  func decide(_ action: Floor10.Action, state: Floor10.State) -> Decision<Floor10.Mutation> {
    switch action {
    case .visit: .mutate(.visited)
    case .below(let action): below.decide(action, state: state)
    }
  }

  func handle(_ action: Floor10.Action, state: Floor10.State) async -> Effect<Self> {
    switch action {
    case .visit: .none
    case .below(let action): await below.handle(action, state: state)
    }
  }

  static func reduce(into state: inout Floor10.State, mutation: Floor10.Mutation) {
    Floor10.reduce(into: &state, mutation: mutation)
  }
}
