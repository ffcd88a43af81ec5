/// What a scheduler remembers of its keys.
struct KeyTable {
  typealias Index = Int32

  private var states = Slab(blank: KeyState())
  private var indices: [PlanKey: Index] = [:]

  var isEmpty: Bool { indices.isEmpty }

  var count: Int { indices.count }

  /// Every key, in no order.
  var all: [Index] { Array(indices.values) }

  /// The index of a key that is remembered from now on.
  mutating func index(of key: PlanKey) -> Index {
    if let index = indices[key] { return index }
    let index = states.insert(KeyState(key: key))
    indices[key] = index
    return index
  }

  /// The index of a key, if it is remembered.
  func existingIndex(of key: PlanKey) -> Index? { indices[key] }

  mutating func forget(_ index: Index) {
    if let key = states[index].key { indices[key] = nil }
    states.remove(index)
  }

  /// Remembers no key by its name; what is named by an index stays until it is forgotten.
  mutating func forgetNames() {
    indices = [:]
  }

  subscript(index: Index) -> KeyState {
    _read { yield states[index] }
    _modify { yield &states[index] }
  }
}

/// What is remembered of one key.
struct KeyState {
  typealias Handle = Scheduler.Handle

  var key: PlanKey?

  /// Who has the permits of the key.
  var overlap = OverlapState()

  /// Those that have met here and have not ended.
  var live = HandleLists.List()

  /// Those of them that wait for a permit, in accepted order.
  var waiting = HandleLists.List()

  /// Whether those that wait are to be looked at when the step is done.
  var isTakeUpDue = false

  /// The live run that others may share.
  var sharedRun: Handle?

  /// The one that is debounced or throttled.
  var held: Handle?

  var debounce = DebounceState()
  var debounceEnd: Int32?
  var throttle = ThrottleState()
  var windowEnd: Int32?

  /// The breaker and the retry budget, each of the newest plan that has one.
  var breaker = BreakerState()
  var breakerTerms: Breaker?
  var budget = RetryBudgetState()
  var budgetTerms: RetryBudget?

  /// How many steps and runs rely on the key's being remembered.
  var users = 0

  /// When breaker and budget can be forgotten.
  var forgetting: Int32?

  /// How many have come and have not ended.
  var earlier: Int { live.count + (held == nil ? 0 : 1) }

  /// Whether no action needs it.
  var isIdle: Bool { users == 0 && overlap.taken == 0 && live.isEmpty && held == nil }

  /// When there is nothing left to remember of breaker and budget; nil at once.
  func forgottenAt() -> Instant? {
    guard breakerTerms != nil || budgetTerms != nil else { return nil }
    let breakerTime = breakerTerms.flatMap { breaker.forgottenAt($0) }
    let budgetTime = budgetTerms.flatMap { budget.fullAt($0) }
    guard let breakerTime, let budgetTime else { return breakerTime ?? budgetTime }
    return max(breakerTime, budgetTime)
  }
}
