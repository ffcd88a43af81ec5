#if DEBUG && os(Linux)
  import Millrace

  /// Interactors that are right, with methods beside the protocol's that might be taken for them.
  enum WellSpelt {
    struct Full: Interactor {
      typealias Action = Letters.Action
      typealias Mutation = Letters.Mutation
      typealias State = Letters.State

      func handle(_ action: Action, state: State) async -> Effect<Self> { .none }
      static func reduce(into state: inout State, mutation: Mutation) {}
      func decide(_ action: Action, state: State) -> Decision<Mutation> { decide(action, state: state, again: true) }
      func plan(for action: Action, state: State) -> Plan { Self.plan(for: action, state: state) }
      func closing(_ action: Action, outcome: Outcome) -> Mutation? { closing(action, outcome) }

      func decide(_ action: Action, state: State, again: Bool) -> Decision<Mutation> { .ignore }
      func closing(_ action: Action, _ outcome: Outcome) -> Mutation? { nil }
      static func plan(for action: Action, state: State) -> Plan { .concurrent }
    }

    struct Helpers: Desk {
      struct Step {}

      var planned: Plan { .concurrent }
      func handleReload(_ action: Action, state: State) -> Mutation? { nil }
      func decide() -> Bool { true }
      func decide(_ action: Action, state: State) -> Bool { true }
      func plan(_ steps: [Step]) -> [Step] { steps }
      func plan(for action: Action) -> [Step] { [] }
      func play(_ action: Action) -> Bool { true }
      func plant(_ action: Action) -> Mutation { .one }
      func closing(_ action: Action) -> Mutation? { nil }
      func close(_ action: Action, outcome: Outcome) {}
      func pricing(_ action: Action, outcome: Outcome) -> Mutation? { nil }
    }

    struct Generic<Value: Sendable>: Interactor {
      struct Action { let value: Value }
      enum Mutation { case one }

      static func reduce(into state: inout [Value], mutation: Mutation) {}
      func decide(_ action: Action, state: [Value]) -> Decision<Mutation> { .ignore }
      func plan(for action: Action, state: [Value]) -> Plan { .concurrent }
      func closing(_ action: Action, outcome: Outcome) -> Mutation? { nil }
      typealias Mutations = Effect<Self>
    }

    struct Wrapper<Inner: Interactor>: Interactor {
      let inner: Inner

      func handle(_ action: Inner.Action, state: Inner.State) async -> Inner.Mutations {
        await inner.handle(action, state: state)
      }
      static func reduce(into state: inout Inner.State, mutation: Inner.Mutation) {
        Inner.reduce(into: &state, mutation: mutation)
      }
      func decide(_ action: Inner.Action, state: Inner.State) -> Decision<Inner.Mutation> { .handle }
      func closing(_ action: Inner.Action, outcome: Outcome) -> Inner.Mutation? { nil }
    }

    struct Exotic: Interactor {
      typealias Action = @Sendable (Int) async throws -> [String: Int?]
      typealias Mutation = (any Error & Sendable)?
      typealias State = (count: Int, next: (@Sendable () -> Void)?)
      typealias Mutations = Effect<Self>

      static func reduce(into state: inout State, mutation: Mutation) {}
      func decide(_ action: Action, state: State) -> Decision<Mutation> { .ignore }
      func plan(for action: Action, state: State) -> Plan { .concurrent }
      func closing(_ action: Action, outcome: Outcome) -> Mutation? { nil }
    }

    struct Own: Desk {
      func decide(_ action: consuming Action, state: borrowing State) -> Decision<Mutation> { .ignore }
      func plan(for action: some Sendable, state: borrowing Letters.State) -> Millrace.Plan { .concurrent }
      func closing(_ action: __owned Action, outcome: Outcome) -> Mutation? { nil }
    }

    struct Stateful: Desk {
      func plan(for action: Action, state: State) -> Plan { plan(action, state) }
      func plan(_ action: Action, _ state: State) -> Plan { .concurrent }
      func plans(_ action: Action) -> Plan { .concurrent }
    }

    final class Class: Desk {
      func decide(_ action: Action, state: State) -> Decision<Mutation> { .ignore }
    }

    class Base: @unchecked Sendable {
      func decide(_ action: Letters.Action, state: Letters.State) -> Decision<Letters.Mutation> { .ignore }
    }

    final class Inheriting: Base, Desk, @unchecked Sendable {
      func decide(action: Letters.Action, state: Letters.State) -> Decision<Letters.Mutation> { .ignore }
    }

    actor Actor: Interactor {
      nonisolated func handle(_ action: Letters.Action, state: Letters.State) async -> Effect<Actor> { .none }
      static func reduce(into state: inout Letters.State, mutation: Letters.Mutation) {}
      nonisolated func plan(for action: Letters.Action, state: Letters.State) -> Plan { .concurrent }
    }

    static var hidden: any Interactor.Type { Hidden.self }

    static var local: any Interactor.Type {
      enum Action { case one }
      struct Local: Interactor {
        typealias Mutations = Effect<Self>

        static func reduce(into state: inout Letters.State, mutation: Action) {}
        func decide(_ action: Action, state: Letters.State) -> Decision<Action> { .ignore }
        func plan(for action: Action, state: Letters.State) -> Plan { .concurrent }
      }
      return Local.self
    }
  }

  private struct Hidden: Interactor {
    enum Action { case one }
    struct State {}
    typealias Mutations = Effect<Self>

    static func reduce(into state: inout State, mutation: Action) {}
    func decide(_ action: Action, state: State) -> Decision<Action> { .ignore }
    func plan(for action: Action, state: State) -> Plan { .concurrent }
    func closing(_ action: Action, outcome: Outcome) -> Action? { nil }
  }
#endif
