/// Where one action stands on its way to its outcome, as a value without tasks and locks.
///
/// The scheduler tells it events, and does what it answers.
@usableFromInline
@frozen
package struct RunPhase: Equatable {
  @usableFromInline
  @frozen
  package enum Stage: CaseIterable {
    /// Accepted; it waits for its plan's time or for a permit of its key, and has changed nothing.
    ///
    /// Becomes `takenUp`, or `ended`.
    case accepted

    /// Decided; what it committed stands, and it holds a permit of its key. Becomes `running`, or `ended`.
    case takenUp

    /// A handler is out for it; it holds a slot. Becomes `resting`, `running` for its next attempt, or `ended`.
    case running

    /// An attempt failed, and the next one is due; it keeps slot and permit. Becomes `running`, or `ended`.
    case resting

    /// It has its outcome. Remains, but for handlers that return.
    case ended
  }

  @usableFromInline
  @frozen
  package enum Event: CaseIterable {
    /// `decide` is asked.
    case takeUp
    /// A handler begins, for the first attempt or a further one.
    case begin
    /// The attempt failed, and another one follows.
    case rest
    /// A handler has returned; it may be that of an attempt that was given up.
    case handlerReturned
    /// It gets its outcome.
    case end
  }

  /// What the owner has to do.
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
    /// The permit of its key is free again.
    @inlinable package static var freePermit: Consequences { Consequences(rawValue: 2) }
    /// The slot it ran in is free again.
    @inlinable package static var freeSlot: Consequences { Consequences(rawValue: 4) }
  }

  @usableFromInline package var stage = Stage.accepted

  /// How many handlers were begun and have not returned.
  @usableFromInline package var handlersOut: Int32 = 0

  /// Whether a handler was ever begun.
  @usableFromInline package var hasBegun = false

  @inlinable
  package init() {}

  /// Whether it has a slot and no outcome.
  @inlinable var isInFlight: Bool {
    switch stage {
    case .running, .resting: true
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
    case .begin:
      if stage == .ended { return [] }
      stage = .running
      hasBegun = true
      handlersOut &+= 1
      return []
    case .rest:
      if stage == .running { stage = .resting }
      return []
    case .handlerReturned:
      handlersOut &-= 1
      return stage == .ended && handlersOut == 0 ? [.freePermit, .freeSlot] : []
    case .end:
      let before = stage
      stage = .ended
      switch before {
      case .ended, .accepted: return []
      case .takenUp: return [.askClosing, .freePermit]
      case .running, .resting: return handlersOut == 0 ? [.askClosing, .freePermit, .freeSlot] : .askClosing
      }
    }
  }
}
