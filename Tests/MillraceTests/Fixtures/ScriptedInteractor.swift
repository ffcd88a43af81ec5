import Millrace

/// An interactor whose actions carry what they do, so that a test stands in one place.
struct ScriptedInteractor: Interactor {
  /// The names of all mutations, in the order of their commits.
  struct State: Sendable, Equatable {
    var log: [String] = []
  }

  /// A name for the log, and what is done while it is reduced.
  struct Mutation: Sendable, ExpressibleByStringLiteral {
    var name: String
    var whileReducing: (@Sendable () -> Void)?

    init(_ name: String, whileReducing: (@Sendable () -> Void)? = nil) {
      self.name = name
      self.whileReducing = whileReducing
    }

    init(stringLiteral value: String) {
      self.init(value)
    }
  }

  /// The answers of the interactor to one action, at each step.
  struct Action: Sendable {
    typealias Decide = @Sendable (State) -> Decision<Mutation>
    typealias Handle = @Sendable (Run<ScriptedInteractor>, State) async throws -> Void
    typealias Close = @Sendable (Outcome) -> Mutation?

    var decide: Decide = { _ in .handle }
    var handle: Handle = { _, _ in }
    var close: Close = { _ in nil }
    var plan: Plan = .concurrent

    /// An action that is decided with this mutation.
    static func commit(_ mutation: Mutation) -> Action {
      Action(decide: { _ in .mutate(mutation) })
    }

    /// An action that is decided on the state.
    static func decide(_ decide: @escaping Decide) -> Action {
      Action(decide: decide)
    }

    /// An action that is handled.
    static func handle(_ handle: @escaping @Sendable (Run<ScriptedInteractor>) async throws -> Void) -> Action {
      Action(handle: { run, _ in try await handle(run) })
    }

    /// The same action, closed with "closed: " and the kind of its outcome.
    func closed(as name: String = "closed") -> Action {
      var action = self
      action.close = { Mutation("\(name): \($0.kind)") }
      return action
    }

    /// The same action with this plan.
    func planned(_ plan: Plan) -> Action {
      var action = self
      action.plan = plan
      return action
    }
  }

  func handle(_ action: Action, state: State) async -> Effect<Self> {
    Effect { run in try await action.handle(run, state) }
  }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    action.decide(state)
  }

  func plan(for action: Action, state: State) -> Plan { action.plan }

  static func reduce(into state: inout State, mutation: Mutation) {
    mutation.whileReducing?()
    state.log.append(mutation.name)
  }

  func closing(_ action: Action, outcome: Outcome) -> Mutation? {
    action.close(outcome)
  }
}

extension Store where I == ScriptedInteractor {
  /// A store with an empty log.
  init(_ configuration: StoreConfiguration = StoreConfiguration()) {
    self.init(initial: ScriptedInteractor.State(), interactor: ScriptedInteractor(), configuration: configuration)
  }

  /// The log now.
  nonisolated var log: [String] {
    get async { await state.log }
  }

  /// Keeps the store's turn taken by a thread of its own: that reduces a mutation named "block" until the latch opens.
  nonisolated func block() async throws -> (latch: Latch, thread: Task<Void, Never>) {
    let latch = Latch()
    let thread = onThread {
      self.send(.commit(ScriptedInteractor.Mutation("block", whileReducing: latch.pass)))
    }
    try await latch.waitForArrival()
    return (latch, thread)
  }
}
