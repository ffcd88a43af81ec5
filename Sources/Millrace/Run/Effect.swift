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
/// `send`.
///
/// **Cancellation.** The run's task is cancelled with it; the closure may heed that, or the false that ``Run/emit(_:)``
/// returns. Nothing it emits later is committed.
///
/// **Errors.** An error thrown out of the closure ends the run as ``Outcome/failed(_:)``.
///
/// Iterated outside a store by ``mutations(state:clock:)`` an effect runs alone. Iterated as it is, it throws
/// ``EffectError``, for it has no state to show to its closure.
public struct Effect<I: Interactor>: AsyncSequence, Sendable {
  /// A mutation.
  public typealias Element = I.Mutation

  /// Whatever the closure throws.
  public typealias Failure = any Error

  /// What an effect's closure looks like.
  public typealias Body = @Sendable (Run<I>) async throws -> Void

  @usableFromInline
  enum Content: Sendable {
    case known([I.Mutation])
    case one(I.Mutation)
    case body(Body)
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
  public init(_ body: @escaping Body) {
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

  /// Makes an iterator that throws at once; use ``mutations(state:clock:)``.
  public func makeAsyncIterator() -> Iterator {
    Iterator()
  }

  /// Throws, because an effect needs a state.
  public struct Iterator: AsyncIteratorProtocol {
    /// Throws ``EffectError``.
    public mutating func next() async throws -> I.Mutation? {
      throw EffectError()
    }
  }
}

/// The interactor has no handler for the action.
@usableFromInline
struct NotHandled: Error {
  @usableFromInline
  init() {}
}

extension Interactor where Mutations == Effect<Self> {
  /// Handles nothing: for interactors that only decide.
  ///
  /// An action that is decided as `.handle` is rejected as ``Rejection/notHandled``.
  public func handle(_ action: Action, state: State) async -> Effect<Self> {
    Effect(content: .notHandled)
  }
}
