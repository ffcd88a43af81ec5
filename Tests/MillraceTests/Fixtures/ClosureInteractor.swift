@testable import Millrace

/// An interactor whose mutations are closures, so that a test changes the state as it likes and looks from inside a reduce.
struct ClosureInteractor: Interactor {
  typealias Mutation = @Sendable (inout State) -> Void

  struct State: Equatable, Sendable {
    var count = 0
    var other = 0
    var text: String?
    var bell = Pulse("")
    var items: [Int] = []
  }

  enum Action: Sendable {
    /// Commits one mutation at once.
    case write(Mutation)
    /// Commits several mutations as one step.
    case writeAll([Mutation])
    /// Runs a handler.
    case handle(Effect<ClosureInteractor>.Body)
    /// Runs a handler that is given the state.
    case handleState(@Sendable (State) async -> Void)
  }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .write(let mutation): .mutate(mutation)
    case .writeAll(let mutations): .mutate(mutations)
    case .handle, .handleState: .handle
    }
  }

  func handle(_ action: Action, state: State) async -> Effect<ClosureInteractor> {
    switch action {
    case .handle(let body): return Effect(body)
    case .handleState(let body): await body(state)
    case .write, .writeAll: break
    }
    return .none
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    mutation(&state)
  }
}

extension ClosureInteractor.Action {
  /// Sets the count.
  static func count(_ count: Int) -> Self { .write { $0.count = count } }

  /// Sets the counts one after the other in one step.
  static func counts(_ counts: Int...) -> Self {
    .writeAll(counts.map { count in { $0.count = count } })
  }

  /// Sets what most tests do not look at.
  static func other(_ other: Int) -> Self { .write { $0.other = other } }

  /// Sets the text.
  static func text(_ text: String?) -> Self { .write { $0.text = text } }

  /// Adds one to the count.
  static var increment: Self { .write { $0.count += 1 } }
}

extension Store where I == ClosureInteractor {
  /// A store with an empty state, or with a count.
  init(count: Int = 0, items: [Int] = [], clock: any Clock<Duration> = ContinuousClock()) {
    self.init(
      initial: ClosureInteractor.State(count: count, items: items), interactor: ClosureInteractor(),
      configuration: StoreConfiguration(clock: clock))
  }
}

extension Store {
  /// What `look` says of the registry of this store, with its turn.
  nonisolated func onRegistry<Value: Sendable>(
    _ look: @escaping @Sendable (ObserverRegistry<I>?) -> Value
  ) -> Value? {
    let found = Lock<Value?>(nil)
    core.performUrgently { [core] in
      let value = look(core.registry)
      found.withLock { $0 = value }
    }
    return found.withLock { $0 }
  }

  /// What `look` says of the ledger of this store, with its turn; behind all work that was left before.
  nonisolated func onLedger<Value: Sendable>(_ look: @escaping @Sendable (Ledger<I>?) -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      core.perform { [core] in
        let value = look(core.ledger)
        core.lock.afterUnlock { continuation.resume(returning: value) }
      }
    }
  }

  /// How many keys the store remembers.
  nonisolated var keyCount: Int {
    get async { await onLedger { $0?.scheduler.keys.count ?? 0 } }
  }

  /// Waits until all work that was left for the owner of the turn before this call is done.
  nonisolated func settle() async {
    await core.settle()
  }
}
