/// The terms of a plan; they change only while the plan is made, through the only reference to them, so that accesses are not checked.
@usableFromInline
package final class PlanTerms: @unchecked Sendable {
  /// The debounce or throttle that applies before the overlap.
  package enum Pace: Sendable, Hashable {
    case debounce(Duration)
    case throttle(Duration, leading: Bool, trailing: Bool)
  }

  /// The largest number of actions of a key that are handled at a time.
  package struct Limit: Sendable {
    let maximum: Int
    fileprivate(set) var key: PlanKey
  }

  @usableFromInline
  package struct Retry: Sendable {
    let attempts: Int
    let isRetryable: (@Sendable (any Error) -> Bool)?
    let backoff: Plan.Backoff
    let jitter: Double
    let budget: Plan.RetryBudget?
    let afterCommits: Bool
  }

  /// Nil: beside all others, and without a key.
  let overlap: Overlap?
  @exclusivity(unchecked) private(set) var key: PlanKey?
  @exclusivity(unchecked) private(set) var limits: [Limit] = []
  var name: String?
  var pace: Pace?
  var spacing: Duration?
  var timeout: Duration?
  var attemptTimeout: Duration?
  var retry: Retry?
  private(set) var breaker: Plan.Breaker.Figures?

  /// Returns whether an error is a failure for the breaker; nil is true of each.
  private(set) var countsIf: (@Sendable (any Error) -> Bool)?
  var recovery = Recovery.abandon

  /// The thread on which the handler starts; nil leaves it to the configuration.
  @exclusivity(unchecked) @usableFromInline var start: StoreConfiguration.HandlerStart?

  /// The children that the action is for, which may be removed.
  @usableFromInline private(set) var children: [LifetimeCondition] = []

  /// The breaker's own key.
  private var ownBreakerKey: PlanKey?
  private var firstProblem: PlanProblem?

  @usableFromInline
  init(_ overlap: Overlap?, _ key: PlanKey?, problem: PlanProblem? = nil) {
    self.overlap = overlap
    self.key = key
    firstProblem = problem
  }

  init(copying other: PlanTerms) {
    overlap = other.overlap
    key = other.key
    limits = other.limits
    name = other.name
    pace = other.pace
    spacing = other.spacing
    timeout = other.timeout
    attemptTimeout = other.attemptTimeout
    retry = other.retry
    breaker = other.breaker
    countsIf = other.countsIf
    recovery = other.recovery
    start = other.start
    ownBreakerKey = other.ownBreakerKey
    children = other.children
    firstProblem = other.firstProblem
  }

  /// Keeps the first problem there is.
  func note(_ problem: PlanProblem?) {
    if firstProblem == nil { firstProblem = problem }
  }

  func set(_ breaker: Plan.Breaker, key: PlanKey?) {
    let figures = breaker.figures
    note(figures.failures >= 1 && figures.within > .zero && figures.openFor > .zero ? nil : .breaker)
    note(key == key ? nil : .key)
    self.breaker = figures
    countsIf = breaker.judgement.countsIf
    ownBreakerKey = key
  }

  func limit(to maximum: Int, key: PlanKey) {
    note(maximum < 1 ? .maximum : nil)
    note(key == key ? nil : .key)
    limits.append(Limit(maximum: maximum, key: key))
  }

  /// Whether the plan names any key.
  var hasKey: Bool { breakerKey != nil || !limits.isEmpty }

  /// Whether the action itself ends with one of these; an action that shares a run from its arrival ends with that.
  @usableFromInline var bindsAction: Bool { !children.isEmpty && (overlap != .shared || pace != nil) }

  /// Sets the children that the action is for.
  func bind(to children: [LifetimeCondition]) {
    self.children = children
  }

  /// Makes all keys those of a child.
  func put(within scope: PlanKey) {
    guard hasKey else { return }
    note(scope == scope ? nil : .key)
    key = key.map { PlanKey(ScopedKey(scope: scope, key: $0)) }
    ownBreakerKey = ownBreakerKey.map { PlanKey(ScopedKey(scope: scope, key: $0)) }
    for index in limits.indices { limits[index].key = PlanKey(ScopedKey(scope: scope, key: limits[index].key)) }
  }

  /// Whether there may be more than one attempt, or what becomes of one matters.
  var mayRepeat: Bool { retry != nil || attemptTimeout != nil || breaker != nil }

  /// The key of the breaker.
  var breakerKey: PlanKey? { ownBreakerKey ?? key }

  /// The first contradiction of the plan, or nil.
  @usableFromInline var problem: PlanProblem? {
    if let firstProblem { return firstProblem }
    if !limits.isEmpty, limitsKeyTwice { return .limitedTwice }
    if spacing != nil, !(overlap?.waitsForTurn ?? false) { return .spacing }
    let lacksKey = pace != nil || retry?.budget != nil
    return lacksKey && key == nil || breaker != nil && breakerKey == nil ? .needsKey : nil
  }

  /// Whether two limits have one key, or a limit has that of the overlap.
  private var limitsKeyTwice: Bool {
    limits.indices.contains { index in
      limits[index].key == key || limits[..<index].contains { $0.key == limits[index].key }
    }
  }
}

/// The rule for an action that meets earlier actions of its key.
@usableFromInline
package enum Overlap: Sendable, Hashable {
  /// The action starts if fewer than `max` actions of its key have a turn, and waits for its turn otherwise.
  case concurrent(max: Int)
  /// The action ends earlier actions as superseded until at most `max` have not ended, itself included, and starts.
  case latest(max: Int)
  /// The action is rejected while `max` earlier actions have not ended.
  case exclusive(max: Int)
  /// The action joins a shared run, or begins one.
  case shared

  /// Whether actions wait for their turn.
  var waitsForTurn: Bool {
    if case .concurrent = self { true } else { false }
  }
}

/// A contradiction within a plan.
@usableFromInline
package enum PlanProblem: Sendable, Hashable, CaseIterable {
  case maximum, key, limitedTwice, needsKey, pacing, spacing, throttle, interval, timeout, attempts, backoff, jitter,
    budget, breaker

  /// The problem as a sentence that says the fix.
  package var description: String {
    switch self {
    case .maximum:
      "A plan's `max`, or the number of its `limited(to:key:)`, lets nothing run; give it a number of 1 or more."
    case .key:
      "A plan's key is not equal to itself, as NaN is not, so that nothing could be found by it; give it another one."
    case .limitedTwice:
      "A plan's `limited(to:key:)` has the key of its overlap or of another limit of it; give each a key of its own."
    case .needsKey:
      "A plan that is debounced or throttled, or has a breaker or a retry budget, needs a key; begin it with `serial(key:)`, "
        + "`latest(key:)` or another overlap that has one, or give the breaker a key of its own."
    case .pacing:
      "A plan is debounced or throttled more than once; leave all but one of them out."
    case .spacing:
      "A plan's `spacing` is for actions that wait for their turn; begin the plan with `serial(key:)` or "
        + "`concurrent(max:key:)`."
    case .throttle:
      "A plan's `throttle` lets nothing through; let `leading` or `trailing` be true."
    case .interval:
      "A plan's `debounce`, `throttle` or `spacing` has no interval; give it one above zero."
    case .timeout:
      "A plan's `timeout` or `attemptTimeout` is over before it begins; give it one above zero."
    case .attempts:
      "A plan's `retry` makes no attempt; give it 1 attempt or more."
    case .backoff:
      "A plan's `backoff` shrinks or is negative; give it delays of zero or more, a factor of 1 or more, and a maximum that is "
        + "not below the initial delay."
    case .jitter:
      "A plan's `jitter` is not a part of the delay; give it one from 0 to 1."
    case .budget:
      "A plan's retry budget never allows a further attempt; give it a capacity of 1 or more and a refill above zero."
    case .breaker:
      "A plan's breaker is open for ever or never; give it 1 failure or more, and times above zero."
    }
  }
}

extension Plan.Backoff {
  /// The reason that no delay can be computed, or nil.
  package var problem: PlanProblem? {
    initial < .zero || maximum < initial || !(factor >= 1) ? .backoff : nil
  }
}

/// A key that actions have in common, compared together with its type.
///
/// Not an `AnyHashable`, for which `1` and `1.0` are one key, and which asks the type of each key for a conformance at run time.
@usableFromInline
@frozen
package struct PlanKey: Hashable, Sendable {
  /// One word, so that a copy costs a retain, whatever the key is.
  @usableFromInline let key: ErasedKey

  @inlinable
  package init<Key: Hashable & Sendable>(_ key: Key) {
    self.key = TypedKey(key)
  }

  @inlinable
  init(of key: ErasedKey) {
    self.key = key
  }

  @usableFromInline
  package static func == (one: PlanKey, other: PlanKey) -> Bool {
    if type(of: one.key) == type(of: other.key) { return one.key.isEqual(toSameType: other.key) }
    // An object may be given as one of its superclass.
    let (one, other) = (one.key.value, other.key.value)
    return type(of: one) == type(of: other) && AnyHashable(one) == AnyHashable(other)
  }

  @usableFromInline
  package func hash(into hasher: inout Hasher) {
    key.hash(into: &hasher)
  }

  /// The position of a child: its scope.
  @usableFromInline
  @inline(never)
  package init(scope: any Any.Type) {
    self.init(ObjectIdentifier(scope))
  }

  /// The position of a child: its scope, and which one it is there.
  @inlinable
  @inline(never)
  package init(scope: any Any.Type, id: some Hashable & Sendable) {
    self.init(ChildPosition(ObjectIdentifier(scope), id))
  }

  /// Whether this is the same key, or an equal one.
  func isSame(as other: PlanKey) -> Bool { key === other.key || self == other }
}

/// A key of any type.
@usableFromInline
class ErasedKey: @unchecked Sendable {
  @inlinable
  init() {}

  @usableFromInline var value: any Hashable & Sendable { preconditionFailure("Each key is of a type.") }

  /// Whether this equals a key of the same type.
  @usableFromInline
  func isEqual(toSameType other: ErasedKey) -> Bool { preconditionFailure("Each key is of a type.") }

  @usableFromInline
  func hash(into hasher: inout Hasher) { preconditionFailure("Each key is of a type.") }
}

/// A key of one type.
@usableFromInline
final class TypedKey<Key: Hashable & Sendable>: ErasedKey, @unchecked Sendable {
  @usableFromInline let key: Key

  @inlinable
  init(_ key: Key) {
    self.key = key
    super.init()
  }

  @usableFromInline override var value: any Hashable & Sendable { key }

  @usableFromInline
  override func isEqual(toSameType other: ErasedKey) -> Bool {
    unsafeDowncast(other, to: TypedKey.self).key == key
  }

  @usableFromInline
  override func hash(into hasher: inout Hasher) {
    hasher.combine(key)
  }

}

/// The key of a child's plan, as the store knows it: with the child's position before it.
///
/// ``Scoped/key(_:)`` and its like make one.
package struct ScopedKey: Hashable, Sendable {
  private let scope: PlanKey
  private let key: PlanKey

  package init(scope: PlanKey, key: PlanKey) {
    self.scope = scope
    self.key = key
  }
}

/// The position of one of several children, which prefixes its keys.
@usableFromInline
@frozen
struct ChildPosition<ID: Hashable & Sendable>: Hashable, Sendable {
  @usableFromInline let scope: ObjectIdentifier
  @usableFromInline let id: ID

  @inlinable
  init(_ scope: ObjectIdentifier, _ id: ID) {
    self.scope = scope
    self.id = id
  }
}
