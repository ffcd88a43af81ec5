/// A condition that the state has to satisfy for a run to continue: that a child exists.
@usableFromInline
struct LifetimeCondition<State, Mutation>: Sendable {
  /// The child, seen from the interactor that has this state.
  let child: ChildPath

  /// Whether the child exists in a state.
  @usableFromInline let exists: Predicate<State>

  /// The children of the scope that a mutation may remove; nil if the scope does not know mutations of this type.
  let removals: Removals<Mutation>?

  @usableFromInline
  init(_ child: ChildID, removals: Removals<Mutation>?, exists: Predicate<State>) {
    self.init(child: ChildPath(child), removals: removals, exists: exists)
  }

  private init(child: ChildPath, removals: Removals<Mutation>?, exists: Predicate<State>) {
    self.child = child
    self.exists = exists
    self.removals = removals
  }

  /// The same condition for an interactor that has this one as a part that is always there.
  func within<Whole, WholeMutation>(
    _ position: PartPosition, _ part: @escaping @Sendable (Whole) -> State
  ) -> LifetimeCondition<Whole, WholeMutation> {
    LifetimeCondition<Whole, WholeMutation>(
      child: child.within(position), removals: nil, exists: Predicate { [exists] in exists.holds(part($0)) })
  }

  /// The same condition for an interactor that has this one as a child that may be removed; it includes that this child exists.
  func within<Whole, WholeMutation>(
    _ parent: ChildID, _ part: @escaping @Sendable (Whole) -> State?
  ) -> LifetimeCondition<Whole, WholeMutation> {
    LifetimeCondition<Whole, WholeMutation>(
      child: child.within(parent), removals: nil, exists: Predicate { [exists] in part($0).map(exists.holds) ?? false }
    )
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
}

/// A question about a value.
@usableFromInline
final class Predicate<Value>: AnyPredicate, @unchecked Sendable {
  @usableFromInline let holds: @Sendable (Value) -> Bool

  @inlinable
  init(_ holds: @escaping @Sendable (Value) -> Bool) {
    self.holds = holds
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

  @usableFromInline
  init(scope: PlanKey, id: PlanKey?, mark: ChildMark = .none) {
    self.scope = scope
    self.id = id
    self.mark = mark
  }

  @usableFromInline
  @inline(never)
  init(scope: any Any.Type) {
    self.init(scope: PlanKey(scope: scope), id: nil, mark: ChildMark(scope: scope))
  }

  @inlinable
  init(scope: any Any.Type, id: TypedKey<some Hashable & Sendable>) {
    self.init(scope: PlanKey(scope: scope), id: PlanKey(of: id), mark: ChildMark(scope: scope, id: id.key))
  }
}

/// The identity of a child for one of its ancestors.
struct ChildPath: Sendable {
  /// The children on the path that may be removed, the innermost first; the scope of each has the positions of parts that are always
  /// there before it.
  private(set) var steps: [ChildID]

  init(_ child: ChildID) {
    steps = [child]
  }

  func within(_ position: PartPosition) -> ChildPath {
    var path = self
    let outermost = steps.count - 1
    path.steps[outermost].scope = PlanKey(ScopedKey(scope: position.key, key: steps[outermost].scope))
    path.steps[outermost].mark = steps[outermost].mark.within(position.bits)
    return path
  }

  func within(_ parent: ChildID) -> ChildPath {
    var path = self
    path.steps.append(parent)
    return path
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
