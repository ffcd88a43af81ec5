#if DEBUG && os(Linux)
  import Millrace

  /// Interactors of all kinds with a method that is not the protocol's, though it was meant to be.
  enum Misspelt {
    struct Letter: Desk {
      func decid(_ action: Action, state: State) -> Decision<Mutation> { .ignore }
    }

    struct Labels: Desk {
      func plan(_ action: Action) -> Plan { .concurrent }
      func closing(_ action: Action, _ outcome: Outcome) -> Mutation? { nil }
    }

    struct Result: Desk {
      func decide(_ action: Action, state: State) -> Decision<State> { .ignore }
      func closing(_ action: Action, outcome: Outcome) -> Mutation { .one }
    }

    struct Effects: Desk {
      func decide(_ action: Action, state: State) async -> Decision<Mutation> { .ignore }
      func plan(for action: Action, state: State) throws -> Plan { .concurrent }
      static func closing(_ action: Action, outcome: Outcome) -> Mutation? { nil }
    }

    struct Parameters: Desk {
      func decide(_ action: Action, state: Action) -> Decision<Mutation> { .ignore }
      func plan(for action: Mutation, state: Action) -> Plan { .concurrent }
      func closing(_ action: Action, outcome: Outcome.Kind) -> Mutation? { nil }
    }

    struct Word: Desk {
      func close(_ action: Action, outcome: Outcome) -> Mutation? { nil }
    }

    struct Stateful: Desk {
      func plan(for action: Action, in state: State) -> Plan { .concurrent }
    }

    struct Stateless: Desk {
      func plan(for action: Action) -> Plan { .concurrent }
    }

    struct Secret: Desk {
      private func closin(_ action: Action, outcome: Outcome) -> Mutation? { nil }
    }

    struct Extended: Desk {}

    struct Outer<Key: Sendable> {
      struct Generic<Value: Sendable>: Interactor {
        enum Mutation { case one }

        func handle(_ action: Value, state: [Key]) async -> Effect<Self> { .none }
        static func reduce(into state: inout [Key], mutation: Mutation) {}
        func decid(_ action: Value, state: [Key]) -> Decision<Mutation> { .ignore }
        func closing(_ action: Value, outcome: Outcome) -> Mutation { .one }
      }
    }

    final class Class: Interactor {
      func handle(_ action: Letters.Action, state: Letters.State) async -> Effect<Class> { .none }
      static func reduce(into state: inout Letters.State, mutation: Letters.Mutation) {}
      func plans(for action: Letters.Action) -> Plan { .concurrent }
    }

    actor Actor: Interactor {
      func handle(_ action: Letters.Action, state: Letters.State) async -> Effect<Actor> { .none }
      static func reduce(into state: inout Letters.State, mutation: Letters.Mutation) {}
      nonisolated func deside(_ action: Letters.Action, state: Letters.State) -> Decision<Letters.Mutation> { .ignore }
    }

    enum Enum: Desk {
      case one
      func planFor(_ action: Action, _ state: State) -> Plan { .concurrent }
    }

    static var hidden: any Interactor.Type { Hidden.self }

    static var local: any Interactor.Type {
      struct Local: Interactor {
        enum Action { case one }
        enum Mutation { case one }
        struct State {}

        func handle(_ action: Action, state: State) async -> Effect<Self> { .none }
        static func reduce(into state: inout State, mutation: Mutation) {}
        func closing(_ action: Action, _ outcome: Outcome) -> Mutation? { nil }
      }
      return Local.self
    }
  }

  extension Misspelt.Extended {
    func closing(action: Letters.Action, outcome: Outcome) -> Letters.Mutation? { nil }
  }

  extension Outcome {
    struct Away: Desk {
      func plan(_ action: Action) -> Plan { .concurrent }
    }
  }

  private struct Hidden: Interactor {
    enum Action { case one }
    enum Mutation { case one }
    struct State {}

    func handle(_ action: Action, state: State) async -> Effect<Self> { .none }
    static func reduce(into state: inout State, mutation: Mutation) {}
    func decide(action: Action, state: State) -> Decision<Mutation> { .ignore }
  }

  /// The types that most interactors here share.
  enum Letters {
    enum Action { case one }
    enum Mutation { case one }
    struct State: Equatable {}
  }

  /// An interactor that inherits all it needs, so that what it writes itself stands out.
  protocol Desk: Interactor where Action == Letters.Action, Mutation == Letters.Mutation, State == Letters.State {}

  extension Desk {
    func handle(_ action: Action, state: State) async -> AsyncStream<Mutation> { AsyncStream { $0.finish() } }
    static func reduce(into state: inout State, mutation: Mutation) {}
  }
#endif
