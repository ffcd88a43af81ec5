/// The decision of an interactor on an action: mutations at once, a handler, both, or a rejection.
///
/// A decision is the fast path, for it needs no task and no stream, and it is the means of consistency: the state it was
/// made on is the state its mutations are applied to.
@frozen
public struct Decision<Mutation: Sendable>: Sendable {
  /// The forms a decision has; one mutation stands in the value itself, so that it allocates nothing.
  @usableFromInline
  @frozen
  enum Step: Sendable {
    case ignore
    case handle
    case one(Mutation)
    case many([Mutation])
    case oneThenHandle(Mutation)
    case manyThenHandle([Mutation])
    case reject(any Error)
  }

  @usableFromInline let step: Step

  @inlinable
  init(step: Step) {
    self.step = step
  }

  /// Runs `handle` for this action.
  @inlinable public static var handle: Decision { Decision(step: .handle) }

  /// Finishes the action and changes nothing.
  @inlinable public static var ignore: Decision { Decision(step: .ignore) }

  /// Commits one mutation, then finishes the action, or calls `handle`.
  @inlinable
  public static func mutate(_ mutation: Mutation, thenHandle: Bool = false) -> Decision {
    Decision(step: thenHandle ? .oneThenHandle(mutation) : .one(mutation))
  }

  /// Commits several mutations as one atomic step, then finishes the action, or calls `handle`.
  @inlinable
  public static func mutate(_ mutations: [Mutation], thenHandle: Bool = false) -> Decision {
    Decision(step: thenHandle ? .manyThenHandle(mutations) : .many(mutations))
  }

  /// Ends the action as ``Rejection/decided(_:)`` with this error, closing it in the same atomic step.
  @inlinable
  public static func reject(_ error: any Error) -> Decision {
    Decision(step: .reject(error))
  }

  /// The same decision with other mutations: what a parent makes of a child's.
  @inlinable
  @inline(__always)
  public consuming func mapMutations<Other>(_ transform: (Mutation) -> Other) -> Decision<Other> {
    switch step {
    case .one(let mutation): Decision<Other>(step: .one(transform(mutation)))
    case .ignore: Decision<Other>(step: .ignore)
    case .handle: Decision<Other>(step: .handle)
    case .oneThenHandle, .many, .manyThenHandle, .reject: mappedRest(transform)
    }
  }

  /// Out of line, so that ten levels of what is common fit into one function.
  @inlinable
  @inline(never)
  func mappedRest<Other>(_ transform: (Mutation) -> Other) -> Decision<Other> {
    switch step {
    case .ignore, .handle, .one: mapMutations(transform)
    case .oneThenHandle(let mutation): Decision<Other>(step: .oneThenHandle(transform(mutation)))
    case .many(let mutations): Decision<Other>(step: .many(mutations.map(transform)))
    case .manyThenHandle(let mutations): Decision<Other>(step: .manyThenHandle(mutations.map(transform)))
    case .reject(let error): Decision<Other>(step: .reject(error))
    }
  }

  /// The mutations that this decision commits, in order.
  public var mutations: [Mutation] {
    switch step {
    case .ignore, .handle, .reject: []
    case .one(let mutation), .oneThenHandle(let mutation): [mutation]
    case .many(let mutations), .manyThenHandle(let mutations): mutations
    }
  }

  /// Whether `handle` is run after the mutations.
  public var handles: Bool {
    switch step {
    case .handle, .oneThenHandle, .manyThenHandle: true
    case .ignore, .one, .many, .reject: false
    }
  }

  /// The error that the action is rejected with, or nil.
  public var rejection: (any Error)? {
    if case .reject(let error) = step { error } else { nil }
  }
}
