import Millrace

/// An interactor whose actions and mutations have names of cases to be told by, and payloads to be kept back.
struct KitchenInteractor: Interactor {
  struct State: Sendable, Equatable {
    var dishes: [String] = []
    var isClean = true
  }

  enum Action: Sendable {
    /// Decided at once.
    case serve(String)
    /// Decided against.
    case refuse
    /// Handled by this.
    case cook(@Sendable (Run<KitchenInteractor>) async throws -> Void)
    /// Handled once for all of them.
    case share(@Sendable (Run<KitchenInteractor>) async throws -> Void)
  }

  enum Mutation: Sendable, Equatable {
    case served(String)
    case soiled
  }

  func plan(for action: Action, state: State) -> Plan {
    if case .share = action { .shared(key: "share") } else { .concurrent }
  }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .serve(let dish): .mutate(.served(dish))
    case .refuse: .reject(Mishap())
    case .cook, .share: .handle
    }
  }

  func handle(_ action: Action, state: State) async -> Effect<KitchenInteractor> {
    switch action {
    case .serve, .refuse: .none
    case .cook(let body), .share(let body): Effect { run in try await body(run) }
    }
  }

  func closing(_ action: Action, outcome: Outcome) -> Mutation? {
    if case .failed = outcome { .soiled } else { nil }
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .served(let dish): state.dishes.append(dish)
    case .soiled: state.isClean = false
    }
  }

  typealias Chain = [any Interceptor<KitchenInteractor>]
}

/// Rejects the actions that a test says.
struct Refusing: Interceptor {
  typealias I = KitchenInteractor

  let dish: String

  func intercept(
    _ action: KitchenInteractor.Action, context: InterceptionContext<KitchenInteractor.Action>
  ) -> Interception<KitchenInteractor.Action> {
    if case .serve(dish) = action { .reject("no \(dish) today") } else { .pass }
  }
}
