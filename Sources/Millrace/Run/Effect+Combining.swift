extension Effect {
  /// Runs effects side by side; their mutations commit as they come.
  ///
  /// It ends when all have ended. The first error cancels the others and is thrown.
  public static func merge(_ effects: [Effect]) -> Effect {
    Effect { run in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for effect in effects {
          group.addTask { try await effect.perform(in: run) }
        }
        for try await _ in group {}  // Not `waitForAll`, which cancels nothing and throws only when all have ended.
      }
    }
  }

  /// Runs effects side by side; their mutations commit as they come.
  public static func merge(_ effects: Effect...) -> Effect {
    merge(effects)
  }

  /// Runs effects one after the other.
  ///
  /// The first error ends it.
  public static func concatenate(_ effects: [Effect]) -> Effect {
    Effect { run in
      for effect in effects { try await effect.perform(in: run) }
    }
  }

  /// Runs effects one after the other.
  ///
  /// The first error ends it.
  public static func concatenate(_ effects: Effect...) -> Effect {
    concatenate(effects)
  }

  /// Goes on with another effect where this one throws.
  ///
  /// What it emitted before stays committed.
  ///
  /// A run that was cancelled does not go on: whatever it threw is thrown.
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
    mapMutations(state: { $0 }, action: { $0 }, transform)
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
    switch content {
    case .one(let mutation): .just(transform(mutation))
    case .known(let mutations): .sequence(mutations.map(transform))
    case .body(let body):
      Effect<Parent> { run in try await body(run.run(state: state, mutation: transform, action: action)) }
    case .notHandled: Effect<Parent>(content: .notHandled)
    }
  }
}
