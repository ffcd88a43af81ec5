/// The library's own sequence of mutations, for `handle` to return: a closure that emits, or mutations known at once.
///
/// ```swift
/// func handle(_ action: Action, state: State) async -> Effect<Self> {
///   Effect { run in
///     run.emit(.loading)
///     run.emit(.loaded(try await gateway.records()))
///   }
/// }
/// ```
///
/// **Order and isolation.** In a store the closure runs once, in the run's own task, and commits straight into the store,
/// with no stream between. It begins on the sender's thread and stays there up to its first suspension: blocking there blocks
/// `send`. With ``StoreConfiguration/HandlerStart/onPool`` it begins on the pool, and `send` waits for no part of it.
///
/// **Cancellation.** The run's task is cancelled with it; the closure may heed that, or the false that ``Run/emit(_:)``
/// returns. Nothing it emits later is committed.
///
/// **Errors.** An error thrown out of the closure ends the run as ``Outcome/failed(_:)``.
///
/// Iterated outside a store by ``mutations(state:clock:)`` an effect runs without a store. Iterated as it is, it throws
/// a ``StoreError``, for it has no state to show to its closure.
public struct Effect<I: Interactor>: AsyncSequence, Sendable {
  @usableFromInline
  enum Content: Sendable {
    case known([I.Mutation])
    case one(I.Mutation)
    case body(@Sendable (Run<I>) async throws -> Void)
    /// There is no handler.
    case notHandled
  }

  @usableFromInline let content: Content

  @inlinable
  init(content: Content) {
    self.content = content
  }

  /// An effect that runs `body`, which emits as it goes.
  @inlinable
  public init(_ body: @escaping @Sendable (Run<I>) async throws -> Void) {
    content = .body(body)
  }

  /// No mutation.
  @inlinable public static var none: Effect { Effect(content: .known([])) }

  /// One mutation.
  @inlinable
  public static func just(_ mutation: I.Mutation) -> Effect {
    Effect(content: .one(mutation))
  }

  /// Several mutations, in order.
  @inlinable
  public static func sequence(_ mutations: [I.Mutation]) -> Effect {
    Effect(content: .known(mutations))
  }

  /// Emits all mutations into `run`.
  @inlinable
  func perform(in run: Run<I>) async throws {
    switch content {
    case .one(let mutation):
      run.emit(mutation)
    case .known(let mutations):
      for mutation in mutations where !run.emit(mutation) { return }
    case .body(let body):
      try await body(run)
    case .notHandled:
      throw NotHandled()
    }
  }

  /// Creates an iterator that throws ``StoreError/Code/noState`` at once; use ``mutations(state:clock:)``.
  public func makeAsyncIterator() -> AsyncThrowingStream<I.Mutation, any Error>.Iterator {
    AsyncThrowingStream { $0.finish(throwing: StoreError(.effectWithoutState)) }.makeAsyncIterator()
  }
}

/// The interactor has no handler for the action.
@usableFromInline
struct NotHandled: Error {
  @usableFromInline
  init() {}
}

extension Interactor where Mutations == Effect<Self> {
  /// Handles no action: for interactors that only decide.
  ///
  /// An action that is decided as `.handle` is rejected as ``Rejection/notHandled``. The method does not suspend, so
  /// cancellation has no effect.
  public func handle(_ action: Action, state: State) async -> Effect<Self> {
    Effect(content: .notHandled)
  }
}

extension Effect {
  /// Runs effects side by side; their mutations commit as they come.
  ///
  /// It ends when all have ended. The first error cancels the others and is thrown.
  public static func merge(_ effects: [Effect]) -> Effect {
    Effect { run in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for part in effects {
          group.addTask { try await part.perform(in: run) }
        }
        for try await _ in group {}  // Not `waitForAll`, which cancels nothing and throws only when all have ended.
      }
    }
  }

  /// Runs effects side by side, as the method that takes an array.
  public static func merge(_ effects: Effect...) -> Effect { merge(effects) }

  /// Runs effects one after the other.
  ///
  /// The first error ends it.
  public static func concatenate(_ effects: [Effect]) -> Effect {
    Effect { run in
      for part in effects { try await part.perform(in: run) }
    }
  }

  /// Runs effects one after the other, as the method that takes an array.
  public static func concatenate(_ effects: Effect...) -> Effect { concatenate(effects) }

  /// Continues with another effect where this one throws.
  ///
  /// Its earlier mutations stay committed.
  ///
  /// A cancelled run does not continue: its error is thrown.
  public func `catch`(_ recover: @escaping @Sendable (any Error) async -> Effect) -> Effect {
    Effect { run in
      do {
        try await perform(in: run)
      } catch {
        if Task.isCancelled || error is NotHandled { throw error }
        try await recover(error).perform(in: run)
      }
    }
  }

  /// The same effect with other mutations.
  public func mapMutations(_ transform: @escaping @Sendable (I.Mutation) -> I.Mutation) -> Effect {
    guard case .body(let body) = content else { return mapMutations(state: { $0 }, action: { $0 }, transform) }
    return Effect { run in try await body(run.run(mutation: transform)) }
  }

  /// The effect of a child as an effect of its parent.
  ///
  /// - Parameters:
  ///   - state: the child's state in the parent's, for ``Run/state``.
  ///   - action: the parent's action for one that the child's run sends; without it such an action is rejected as
  ///     ``Rejection/notSent(_:)``, as it is with the error that this throws.
  ///   - transform: the parent's mutation for one of the child's.
  @inlinable
  public func mapMutations<Parent: Interactor>(
    state: @escaping @Sendable (Parent.State) -> I.State,
    action: @escaping @Sendable (I.Action) throws -> Parent.Action = { _ in
      throw MissingAction(of: I.Action.self, fix: "pass `action` to `mapMutations(state:action:_:)`.")
    },
    _ transform: @escaping @Sendable (I.Mutation) -> Parent.Mutation
  ) -> Effect<Parent> {
    mapMutations(at: .unknown, state: state, action: action, transform)
  }

  /// The effect of a part that is always there as an effect of its whole.
  @inlinable
  func mapMutations<Parent: Interactor>(
    at position: PartPosition, state: @escaping @Sendable (Parent.State) -> I.State,
    action: @escaping @Sendable (I.Action) throws -> Parent.Action,
    _ transform: @escaping @Sendable (I.Mutation) -> Parent.Mutation
  ) -> Effect<Parent> {
    switch content {
    case .one(let mutation): .just(transform(mutation))
    case .known(let mutations): .sequence(mutations.map(transform))
    case .body(let body):
      Effect<Parent> { run in
        try await body(run.run(at: position, state: state, mutation: transform, action: action))
      }
    case .notHandled: Effect<Parent>(content: .notHandled)
    }
  }
}
