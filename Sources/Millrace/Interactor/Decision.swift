/// The decision of an interactor on an action: mutations at once, a handler, both, or a rejection.
///
/// A decision is the fast path, for it needs no task and no stream, and it is the means of consistency: the state it was
/// made on is the state its mutations are applied to.
@frozen
public struct Decision<Mutation: Sendable>: Sendable {
  /// The mutations that are committed; a decision that rejects has none.
  @usableFromInline let decided: DecidedMutations<Mutation>

  /// The end of the step, behind the mutations.
  @usableFromInline let next: DecisionNext

  /// The child of the store's interactor that has decided, if a scope has forwarded its decision.
  @usableFromInline let child: ChildMark

  @inlinable
  init(_ decided: DecidedMutations<Mutation>, then next: DecisionNext, of child: ChildMark = .none) {
    self.decided = decided
    self.next = next
    self.child = child
  }

  /// The parts of the decision, without a copy of the mutations.
  @inlinable
  @inline(__always)
  consuming func parts() -> (DecidedMutations<Mutation>, DecisionNext, ChildMark) { (decided, next, child) }

  /// The same decision as one of this child; an action that is handled is for the children that `children` makes of the child's own.
  @inlinable
  @inline(__always)
  consuming func marked(
    _ child: ChildMark, _ children: (DecisionNext.Children?) -> DecisionNext.Children?
  ) -> Decision {
    guard case .handle(let inner) = next else { return Decision(decided, then: next, of: child) }
    return Decision(decided, then: .handle(children(inner)), of: child)
  }

  /// Runs `handle` for this action.
  @inlinable public static var handle: Decision { Decision(.none, then: .handle(nil)) }

  /// Finishes the action and changes nothing.
  @inlinable public static var ignore: Decision { Decision(.none, then: .finish) }

  /// Commits one mutation, then finishes the action, or calls `handle`.
  @inlinable
  public static func mutate(_ mutation: Mutation, thenHandle: Bool = false) -> Decision {
    Decision(.one(mutation), then: thenHandle ? .handle(nil) : .finish)
  }

  /// Commits several mutations as one atomic step, then finishes the action, or calls `handle`.
  @inlinable
  public static func mutate(_ mutations: [Mutation], thenHandle: Bool = false) -> Decision {
    Decision(mutations.isEmpty ? .none : .many(mutations), then: thenHandle ? .handle(nil) : .finish)
  }

  /// Ends the action as ``Rejection/decided(_:)`` with this error, closing it in the same atomic step.
  @inlinable
  public static func reject(_ error: any Error) -> Decision {
    Decision(.none, then: .reject(error))
  }

  /// The same decision with other mutations, as a parent forwards the decision of a child.
  ///
  /// The mutations are the parent's own: after each of them the store looks for removed children of any kind, as after every mutation
  /// that no scope has forwarded.
  @inlinable
  @inline(__always)
  public consuming func mapMutations<Other>(_ transform: (Mutation) -> Other) -> Decision<Other> {
    if case .one(let mutation) = decided, case .finish = next {
      return Decision<Other>(.one(transform(mutation)), then: .finish)
    }
    return mappedRest(transform)
  }

  /// The same for the decisions that are less common than one mutation; out of line, so that ten levels of that one fit into
  /// one function.
  @inlinable
  @inline(never)
  func mappedRest<Other>(_ transform: (Mutation) -> Other) -> Decision<Other> {
    Decision<Other>(decided.map(transform), then: next)
  }

  /// The decision of an interactor that has this one's as a part that is always there.
  @inlinable
  @inline(__always)
  consuming func mapMutations<Other>(
    ofPart position: UInt, _ transform: (Mutation) -> Other,
    _ children: (@escaping DecisionNext.Children) -> DecisionNext.Children
  ) -> Decision<Other> {
    let child = child.within(position)
    return mapMutations(transform).marked(child) { $0.map { children($0) } }
  }

  /// The mutations that this decision commits, in order.
  public var mutations: [Mutation] { decided.all }

  /// Whether `handle` is run after the mutations.
  public var handles: Bool {
    if case .handle = next { true } else { false }
  }

  /// The children that an action which is handled is for.
  @inlinable var children: DecisionNext.Children? {
    if case .handle(let children) = next { children } else { nil }
  }

  /// The error that the action is rejected with, or nil.
  public var rejection: (any Error)? {
    if case .reject(let error) = next { error } else { nil }
  }
}

/// The end of a decision's step, behind its mutations.
@usableFromInline
@frozen
enum DecisionNext: Sendable {
  case finish
  /// Call `handle` for an action of these children, which may be removed; nil if no scope has forwarded the decision.
  case handle(Children?)
  case reject(any Error)

  /// The children, made where they are needed: the plan may have bound the action by then.
  @usableFromInline
  typealias Children = @Sendable () -> [LifetimeCondition]
}

/// The mutations of one decision; a single one is stored in the value itself, so that it allocates nothing.
@usableFromInline
@frozen
package enum DecidedMutations<Mutation> {
  case none
  case one(Mutation)
  case many([Mutation])

  /// Several mutations in order, none or one.
  package init(_ mutations: [Mutation]) {
    self = mutations.count > 1 ? .many(mutations) : mutations.first.map { .one($0) } ?? .none
  }

  /// The mutations in order.
  package var all: [Mutation] {
    switch self {
    case .none: []
    case .one(let mutation): [mutation]
    case .many(let mutations): mutations
    }
  }

  /// The number of mutations.
  @usableFromInline package var count: Int {
    switch self {
    case .none: 0
    case .one: 1
    case .many(let mutations): mutations.count
    }
  }

  /// The mutations of a parent for these of a child.
  @inlinable
  func map<Other>(_ transform: (Mutation) -> Other) -> DecidedMutations<Other> {
    switch self {
    case .none: .none
    case .one(let mutation): .one(transform(mutation))
    case .many(let mutations): .many(mutations.map(transform))
    }
  }
}

extension DecidedMutations: Sendable where Mutation: Sendable {}

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

  /// The mark of the same child for an interactor that has its parent as a part that is always there; 0 is an unknown position.
  @inlinable
  func within(_ position: UInt) -> ChildMark {
    bits == 0 || position == 0 ? .none : ChildMark(bits: (bits &* 0x9E37_79B9_7F4A_7C15) ^ position)
  }
}
