/// What a scheduler keeps of an action that has a plan, or that waits.
struct PlannedAction {
  /// Where an action waits.
  enum Wait {
    case nowhere
    /// For the end of its debounce or throttle; its key holds it.
    case pace
    /// For a permit of its key.
    case permit
    case slot
    /// For the run that it shares with others.
    case sharedRun
  }

  /// What the plan says; nil for an action that only waits for a slot.
  var terms: PlanTerms?

  /// Counts the planned actions of a store in accepted order.
  var order = 0
  var acceptedAt: Instant = 0

  var wait = Wait.nowhere

  /// The key at which it has met others, and the one that holds it for its pace.
  var key: KeyTable.Index?
  var holder: KeyTable.Index?

  /// The permits that it holds, from its take-up until it has ended and its handlers have returned.
  var permits = Permits()

  /// When it times out.
  var timeout: Int32?

  /// When the attempt times out, or the next one is due.
  var attemptTimer: Int32?

  /// The number of the newest attempt; 0 before the first, and without any.
  var attempt = 0
  var isAttemptOver = false

  /// The key whose breaker let it pass, and whether as its probe.
  var breakerKey: KeyTable.Index?
  var isProbe = false

  /// Whether the breaker was told that the newest attempt failed.
  var isFailureCounted = false

  /// Whether several actions share it, and which; no receipt refers to such a run.
  var isShared = false
  var members = HandleLists.List()

  /// Of an action that shares a run: that run, and whether the action began it.
  var sharedRun: Int32?
  var isFirstMember = false
}

/// The keys of which an action holds a permit; one of them allocates nothing.
struct Permits {
  private var first: KeyTable.Index?
  private var others: [KeyTable.Index] = []

  mutating func add(_ key: KeyTable.Index) {
    if first == nil { first = key } else { others.append(key) }
  }

  /// Takes one out; nil when there is none left.
  mutating func popLast() -> KeyTable.Index? {
    if let key = others.popLast() { return key }
    defer { first = nil }
    return first
  }
}
