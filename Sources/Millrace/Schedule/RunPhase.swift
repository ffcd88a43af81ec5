/// The phase of one action on its way to its outcome, as a value without tasks and locks.
///
/// The scheduler tells it events, and does what it answers.
@usableFromInline
@frozen
package struct RunPhase: Equatable {
  @usableFromInline
  @frozen
  package enum Stage: CaseIterable {
    /// Accepted; it waits for its plan's time or for the turn of its key, and has changed nothing.
    ///
    /// Becomes `takenUp`, or `ended`.
    case accepted

    /// Decided: its decision is committed, and it owns the turn of its key. Becomes `running`, or `ended`.
    case takenUp

    /// A handler is out for it; it has a slot, unless it rests. Becomes `betweenAttempts`, `running` for its next attempt, or `ended`.
    case running

    /// An attempt failed, and the next one is due; it keeps slot and turn. Becomes `running`, or `ended`.
    case betweenAttempts

    /// The action has its outcome. The stage does not change any more; handlers may still return.
    case ended
  }

  @usableFromInline
  @frozen
  package enum Event: CaseIterable {
    /// `decide` is asked.
    case takeUp
    /// The action has a slot, and a handler starts, for the first attempt or a further one.
    case launch
    /// The attempt failed, and another one follows.
    case awaitNextAttempt
    /// A handler has returned; it may be that of an attempt that was given up.
    case handlerReturned
    /// The action gets its outcome.
    case end
  }

  /// The work that the owner has to do.
  @usableFromInline
  @frozen
  package struct Consequences: OptionSet {
    @usableFromInline package let rawValue: UInt8

    @inlinable
    package init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// Ask for the closing mutation, unless the outcome is `finished`.
    @inlinable package static var askClosing: Consequences { Consequences(rawValue: 1) }
    /// The slot it ran in is free again.
    @inlinable package static var freeSlot: Consequences { Consequences(rawValue: 2) }
  }

  @usableFromInline package var stage = Stage.accepted

  /// The number of handlers that were begun and have not returned.
  @usableFromInline package var handlersOut: Int32 = 0

  /// Whether a handler was ever begun.
  @usableFromInline package var hasBegun = false

  @inlinable
  package init() {}

  /// Whether it has a slot and no outcome.
  @inlinable var isInFlight: Bool {
    switch stage {
    case .running, .betweenAttempts: true
    case .accepted, .takenUp, .ended: false
    }
  }

  @inlinable
  @inline(__always)
  package mutating func advance(_ event: Event) -> Consequences {
    switch event {
    case .takeUp:
      if stage == .accepted { stage = .takenUp }
      return []
    case .launch:
      if stage == .ended { return [] }
      stage = .running
      hasBegun = true
      handlersOut &+= 1
      return []
    case .awaitNextAttempt:
      if stage == .running { stage = .betweenAttempts }
      return []
    case .handlerReturned:
      handlersOut &-= 1
      return stage == .ended && handlersOut == 0 ? .freeSlot : []
    case .end:
      let before = stage
      stage = .ended
      switch before {
      case .ended, .accepted: return []
      case .takenUp: return .askClosing
      case .running, .betweenAttempts: return handlersOut == 0 ? [.askClosing, .freeSlot] : .askClosing
      }
    }
  }
}

/// The number of actions that wait, by what for; those that wait in a shared run are none of them.
struct WaitTally: Equatable {
  private(set) var pace = 0
  private(set) var turn = 0
  private(set) var line = 0

  mutating func add(_ wait: PlannedAction.Wait, _ change: Int) {
    switch wait {
    case .pace: pace += change
    case .turn, .recovery: turn += change
    case .line: line += change
    case .nowhere, .sharedRun, .slotAgain: break
    }
  }
}

/// The state of an action that has a plan, or that waits.
struct PlannedAction {
  /// The list in which an action waits.
  enum Wait {
    case nowhere
    /// For the end of its debounce or throttle.
    case pace
    /// For the turn of its key.
    case turn
    /// For its turn among the runs that are handled again one at a time.
    case recovery
    /// For permits of its limits, or a slot.
    case line
    /// For the run that it shares with others.
    case sharedRun
    /// For the slot and the permits that it has given back; it is a run, and not in the waiting room.
    case slotAgain
  }

  /// The terms of the plan; nil for an action without one, which waits for a slot.
  var terms: PlanTerms?

  /// The index of the plan's name; nil without a name.
  var name: NamedPlans.Index?

  /// Counts the planned actions of a store in accepted order.
  var order = 0
  var acceptedAt: Instant = 0

  var wait = Wait.nowhere

  /// Whether it was accepted before the store was restored, and is handled again: it skips its pace and its spacing, waits for its turn
  /// whatever its overlap, and for a slot without a bound, and is neither rejected nor dropped.
  var isRestored = false

  /// The key at which it has met others, and the key that delays it.
  var key: KeyTable.Index?
  var delayingKey: KeyTable.Index?

  /// Whether it has the turn of that key, from its take-up until it has ended and its handlers have returned.
  var hasTurn = false

  /// The keys of its limits, once it has asked for `handle`; it has a permit of each from when its handler begins until it has
  /// ended and its handlers have returned.
  var limits: [KeyTable.Index] = []

  /// The key that the action is counted by while it waits; nil without a limit.
  var countedKey: KeyTable.Index?

  /// The key in whose line it waits; nil for the store's own.
  var line: KeyTable.Index?

  /// The timer of its timeout.
  var timeout: Int32?

  /// The timer at which the attempt times out, or the next attempt is due.
  var attemptTimer: Int32?

  /// Whether its handler rests, and whether it has its slot and its permits if it was started.
  var isResting = false
  var hasSlot = true

  /// The number of the newest attempt; 0 before the first, and without any.
  var attempt = 0
  var isAttemptOver = false

  /// The error of the attempt after which it rests; nil if that was given up.
  var error: (any Error)?

  /// The key whose breaker was asked about it, and whether it is that breaker's probe.
  var breakerKey: KeyTable.Index?
  var isProbe = false

  /// Whether the breaker was told that the newest attempt failed.
  var isFailureCounted = false

  /// Whether the error of the newest attempt, if it has thrown one, is a failure for the breaker.
  var isErrorCounted = true

  /// Whether several actions share it, and which; no receipt refers to such a run.
  var isShared = false
  var members = HandleLists.List()

  /// Whether it has finished, and further steps end the rest of its members.
  var endsMembers = false

  /// Of an action that shares a run: that run, and whether the action began it.
  var sharedRun: Int32?
  var isFirstMember = false
}
