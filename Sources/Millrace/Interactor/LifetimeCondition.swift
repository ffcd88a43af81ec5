/// A condition that the state has to satisfy for a run to continue: that a child exists.
///
/// It is not generic, because plans carry it. Whoever has it from a plan or a decision calls ``checked(_:_:)`` before use.
@usableFromInline
struct LifetimeCondition: Sendable {
  /// The child, seen from the interactor that has this state.
  @usableFromInline let child: ChildPath

  /// Whether the child exists in a state.
  @usableFromInline let exists: AnyPredicate

  /// The children of the scope that a mutation may remove; nil if the scope does not know mutations of this type.
  @usableFromInline let removals: AnyRemovals?

  @usableFromInline
  init(child: ChildPath, removals: AnyRemovals?, exists: AnyPredicate) {
    self.child = child
    self.exists = exists
    self.removals = removals
  }

  /// The condition that a child exists; inlinable, so that the type of the state is known where the question is made.
  @inlinable
  init<State>(_ child: ChildID, removals: AnyRemovals?, exists: @escaping @Sendable (State) -> Bool) {
    self.init(child: ChildPath(child), removals: removals, exists: Predicate<State>(exists))
  }

  /// The same condition for an interactor that has this one as a part that is always there.
  @inlinable
  func within<Whole, Part>(
    _ position: PartPosition, _ part: @escaping @Sendable (Whole) -> Part
  ) -> LifetimeCondition {
    LifetimeCondition(
      child: child.within(position), removals: nil,
      exists: Predicate<Whole> { [exists] in
        exists.holds(of: part($0))
      } missing: { [exists] in
        exists.missingStep(in: part($0))
      })
  }

  /// The same condition for an interactor that has this one as a child that may be removed; it includes that this child exists.
  @inlinable
  func within<Whole, Part>(
    _ parent: ChildID, _ part: @escaping @Sendable (Whole) -> Part?
  ) -> LifetimeCondition {
    let index = child.steps.count
    return LifetimeCondition(
      child: child.within(parent), removals: nil,
      exists: Predicate<Whole> { [exists] in
        part($0).map { exists.holds(of: $0) } ?? false
      } missing: { [exists] in
        guard let part = part($0) else { return index }
        return exists.missingStep(in: part)
      })
  }

  /// The same condition if it is one about states of this type, and holds of this one; otherwise nil.
  ///
  /// A parent may forward the plan of a child by hand, and then the condition is about the child's state.
  @inlinable
  func checked<State, Mutation>(_ state: State, _ mutation: Mutation.Type) -> LifetimeCondition? {
    guard let question = exists as? Predicate<State>, question.holds(state) else { return nil }
    return LifetimeCondition(child: child, removals: removals as? Removals<Mutation>, exists: question)
  }
}

/// A question about a value whose type is not known where the question is kept.
@usableFromInline
class AnyPredicate: @unchecked Sendable {
  @inlinable
  init() {}

  /// The answer for a value, whose type has to be that of the question.
  @inlinable
  @inline(__always)
  final func holds<Value>(of value: Value) -> Bool {
    unsafeDowncast(self, to: Predicate<Value>.self).holds(value)
  }

  /// The outermost step on the path of the child that is missing in a value, whose type has to be that of the question; 0 is the child.
  @inlinable
  final func missingStep<Value>(in value: Value) -> Int {
    unsafeDowncast(self, to: Predicate<Value>.self).missing?(value) ?? 0
  }
}

/// A question about a value: whether a child exists in it.
@usableFromInline
final class Predicate<Value>: AnyPredicate, @unchecked Sendable {
  @usableFromInline let holds: @Sendable (Value) -> Bool

  /// The outermost step on the path of the child that is missing; nil for a child of the value itself.
  @usableFromInline let missing: (@Sendable (Value) -> Int)?

  @inlinable
  init(_ holds: @escaping @Sendable (Value) -> Bool, missing: (@Sendable (Value) -> Int)? = nil) {
    self.holds = holds
    self.missing = missing
    super.init()
  }
}

/// A question of a scope about mutations whose type is not known where the question is kept.
@usableFromInline
class AnyRemovals: @unchecked Sendable {
  @inlinable
  init() {}

  /// The children of the scope that a mutation, whose type has to be that of the question, may remove; nil for any.
  @inlinable
  @inline(__always)
  final func children<Mutation>(removedBy mutation: Mutation) -> [PlanKey]? {
    unsafeDowncast(self, to: Removals<Mutation>.self).children(mutation)
  }
}

/// A question of a scope about mutations: the children that one may remove.
@usableFromInline
final class Removals<Mutation>: AnyRemovals, @unchecked Sendable {
  @usableFromInline let children: @Sendable (Mutation) -> [PlanKey]?

  @inlinable
  init(_ children: @escaping @Sendable (Mutation) -> [PlanKey]?) {
    self.children = children
    super.init()
  }
}

/// The identity of a child that may be removed, for the interactor that has it: the scope and the id.
@usableFromInline
struct ChildID: Sendable {
  fileprivate(set) var scope: PlanKey

  /// The key of the child in its scope; nil for a scope that has one child.
  let id: PlanKey?

  /// The mark of decisions of the child.
  fileprivate(set) var mark: ChildMark

  /// The mark of the child for its own parent, wherever that stands.
  let own: ChildMark

  /// The types of its parent and of the child, for a sentence.
  private let types: (parent: any Any.Type, child: any Any.Type)

  @usableFromInline
  init(
    scope: PlanKey, id: PlanKey?, mark: ChildMark = .none, of parent: any Any.Type = Any.self,
    _ child: any Any.Type = Any.self
  ) {
    self.scope = scope
    self.id = id
    self.mark = mark
    own = mark
    types = (parent, child)
  }

  @usableFromInline
  @inline(never)
  init(scope: any Any.Type, of parent: any Any.Type, _ child: any Any.Type) {
    self.init(scope: PlanKey(scope: scope), id: nil, mark: ChildMark(scope: scope), of: parent, child)
  }

  @inlinable
  init(
    scope: any Any.Type, id: TypedKey<some Hashable & Sendable>, of parent: any Any.Type, _ child: any Any.Type
  ) {
    self.init(
      scope: PlanKey(scope: scope), id: PlanKey(of: id), mark: ChildMark(scope: scope, id: id.key), of: parent, child)
  }

  /// The reason for which an action is rejected when the child is missing.
  var missing: Rejection.MissingChild {
    Rejection.MissingChild(of: types.parent, child: types.child, id: id?.key.value)
  }
}

/// The identity of a child for one of its ancestors.
@usableFromInline
struct ChildPath: Sendable {
  /// The children on the path that may be removed, the innermost first; the scope of each has the positions of parts that are always
  /// there before it.
  @usableFromInline private(set) var steps: [ChildID]

  @usableFromInline
  init(_ child: ChildID) {
    steps = [child]
  }

  @usableFromInline
  func within(_ position: PartPosition) -> ChildPath {
    var path = self
    let outermost = steps.count - 1
    path.steps[outermost].scope = PlanKey(ScopedKey(scope: position.key, key: steps[outermost].scope))
    path.steps[outermost].mark = steps[outermost].mark.within(position.bits)
    return path
  }

  @usableFromInline
  func within(_ parent: ChildID) -> ChildPath {
    var path = self
    path.steps.append(parent)
    return path
  }
}

/// The child of an action that is being closed, if it was removed and another one is in its place: that one is not closed.
@usableFromInline
enum ReplacedChild {
  @usableFromInline static let current = TaskLocal<ChildMark>(wrappedValue: .none)

  @inlinable
  static func has(_ mark: @autoclosure () -> ChildMark) -> Bool {
    let replaced = current.get()
    return replaced != .none && replaced == mark()
  }
}

/// The position of a part that is always there, in its whole.
@usableFromInline
enum PartPosition: Sendable {
  case scope(ObjectIdentifier)
  case keyPath(any AnyKeyPath & Sendable)

  /// The client's own functions say where the part is, and what becomes of its mutations.
  case unknown

  /// Whether a mutation that the part's run emits for a child is one of that child for the whole too.
  @usableFromInline var keepsChild: Bool {
    if case .unknown = self { false } else { true }
  }

  /// The position in a child's mark; 0 for an unknown one.
  @usableFromInline var bits: UInt {
    switch self {
    case .scope(let scope): UInt(bitPattern: scope)
    case .keyPath(let keyPath): UInt(bitPattern: keyPath.hashValue)
    case .unknown: 0
    }
  }

  /// The key of the position: equal for equal positions; an unknown one equals no other.
  var key: PlanKey {
    switch self {
    case .scope(let scope): PlanKey(scope)
    case .keyPath(let keyPath): PlanKey(keyPath)
    case .unknown: PlanKey(UniquePosition())
    }
  }
}

/// A position that equals only itself.
private final class UniquePosition: Hashable, Sendable {
  static func == (left: UniquePosition, right: UniquePosition) -> Bool { left === right }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
