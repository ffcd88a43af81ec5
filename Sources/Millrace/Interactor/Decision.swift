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

  /// The child of the store's interactor that has decided, if a scope has forwarded its decision.
  @usableFromInline let child: ChildMark

  @inlinable
  init(step: Step, of child: ChildMark = .none) {
    self.step = step
    self.child = child
  }

  /// The form of the decision and its child, without a copy of the mutations.
  @inlinable
  @inline(__always)
  consuming func parts() -> (Step, ChildMark) { (step, child) }

  /// The same decision as one of this child.
  @inlinable
  @inline(__always)
  consuming func marked(_ child: ChildMark) -> Decision {
    Decision(step: step, of: child)
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
  ///
  /// The mutations are the parent's own: after each of them the store looks for removed children of any kind, as after every mutation
  /// that no scope has forwarded.
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

  /// The decision of an interactor that has this one's as a part that is always there.
  @inlinable
  @inline(__always)
  consuming func mapMutations<Other>(ofPart place: UInt, _ transform: (Mutation) -> Other) -> Decision<Other> {
    let child = child.within(place)
    return mapMutations(transform).marked(child)
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

/// The identity of a child that may be removed, in one word, for the decisions that its scope forwards.
///
/// It is that of the outermost child on the way to the one that decides: equal for the same child, and seldom equal for two.
@frozen
@usableFromInline
struct ChildMark: Hashable, Sendable {
  @usableFromInline let bits: UInt

  @inlinable
  init(bits: UInt) {
    self.bits = bits
  }

  /// The mark of the child of a scope that has one.
  @inlinable
  init(scope: any Any.Type) {
    self.init(bits: UInt(bitPattern: ObjectIdentifier(scope)))
  }

  /// The mark of a child of a scope that has several.
  @inlinable
  init(scope: any Any.Type, id: some Hashable) {
    self.init(bits: UInt(bitPattern: ObjectIdentifier(scope)) ^ UInt(bitPattern: id.hashValue))
  }

  /// The mark of no child.
  @inlinable static var none: ChildMark { ChildMark(bits: 0) }

  /// The mark of the same child for an interactor that has its parent as a part that is always there; 0 is an unknown place.
  @inlinable
  func within(_ place: UInt) -> ChildMark {
    bits == 0 || place == 0 ? .none : ChildMark(bits: (bits &* 0x9E37_79B9_7F4A_7C15) ^ place)
  }
}
