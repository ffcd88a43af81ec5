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
    case handle(@Sendable (Run<ClosureInteractor>) async throws -> Void)
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
  /// The result of `look`, called with the lock of this store on its registry.
  nonisolated func onRegistry<Value: Sendable>(
    _ look: @escaping @Sendable (ObserverRegistry<I>?) -> Value
  ) -> Value? {
    let found = Lock<Value?>(nil)
    core.performUrgently { owned in
      let value = look(owned.registry)
      found.withLock { $0 = value }
    }
    return found.withLock { $0 }
  }

  /// The result of `look`, called with the lock of this store on its runs, behind all work that was queued before.
  nonisolated func onRuns<Value: Sendable>(_ look: @escaping @Sendable (RunRegistry<I>?) -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      core.perform { [core] owned in
        let value = look(owned.runs)
        core.lock.afterUnlock { continuation.resume(returning: value) }
      }
    }
  }

  /// The number of tasks that end with the store, behind all work that was queued before.
  nonisolated var taskCount: Int? {
    get async { await onRuns { [core] _ in core.services?.tasks.count } }
  }

  /// The number of keys that the store remembers.
  nonisolated var keyCount: Int {
    get async { await onRuns { $0?.scheduler.keys.count ?? 0 } }
  }

  /// Waits until all work that was queued for the holder of the lock before this call is done.
  nonisolated func settle() async {
    await core.settle()
  }
}
