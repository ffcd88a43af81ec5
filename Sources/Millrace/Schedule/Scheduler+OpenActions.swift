/// The actions that have not ended, or whose handlers have not returned, and the reason of each.
extension Scheduler {
  /// The reason why an action stays.
  enum Reason: Equatable {
    /// A handler of the action has not returned.
    case handlerOut
    /// The action has its outcome, and its handler has not returned.
    case handlerOutAfterEnd
    /// The handler of the action sleeps or waits in a step.
    case resting
    /// The action waits for its next attempt.
    case betweenAttempts
    /// The action is debounced or throttled.
    case pace
    /// The action waits for the turn of a key, which others have.
    case turn(KeyIndex, owners: [Handle])
    /// The action waits for its turn among the runs that are handled again one at a time.
    case recovery
    /// The action waits for a permit of a key, which others have.
    case permit(KeyIndex, owners: [Handle])
    /// The action waits for one of the store's slots.
    case slot
    /// The action shares a run.
    case sharedRun(Handle)
    /// The action is between two steps.
    case step
  }

  /// The stage of an action that has not ended.
  func openStage(of handle: Handle) -> OpenRunStage {
    let entry = entries[handle]
    switch entry.plan.map({ plans[$0].wait }) {
    case .pace: return .pace
    case .turn, .recovery: return .turn
    case .line, .slotAgain: return .slot
    case .nowhere, .sharedRun, nil: return entry.phase.stage == .betweenAttempts ? .nextAttempt : .running
    }
  }

  /// Whether a handler of an action was ever begun.
  func wasStarted(_ handle: Handle) -> Bool { entries[handle].phase.hasBegun }

  /// The index of the name of an action's plan; nil without one.
  func planName(of handle: Handle) -> NamedPlans.Index? { entries[handle].plan.flatMap { plans[$0].name } }

  var openActions: [(handle: Handle, reason: Reason)] {
    standingHandles.map { ($0, reason(of: $0)) }
  }

  private var standingHandles: [Handle] {
    [runs, restored, room, notReturned].flatMap { standing.handles(of: $0) }.sorted()
  }

  private func reason(of handle: Handle) -> Reason {
    let entry = entries[handle]
    if let plan = entry.plan, plans[plan].wait == .slotAgain { return reason(ofWaiting: plan, handle) }
    switch entry.phase.stage {
    case .running: return entry.plan.map { plans[$0].isResting } == true ? .resting : .handlerOut
    case .betweenAttempts: return .betweenAttempts
    case .ended: return .handlerOutAfterEnd
    case .accepted, .takenUp: return entry.plan.map { reason(ofWaiting: $0, handle) } ?? .step
    }
  }

  private func reason(ofWaiting plan: Int32, _ handle: Handle) -> Reason {
    switch plans[plan].wait {
    case .nowhere: return .step
    case .pace: return .pace
    case .recovery: return .recovery
    case .turn:
      guard let key = plans[plan].key else { return .step }
      return .turn(key, owners: owners(besides: handle) { $0.hasTurn && $0.key == key })
    case .line, .slotAgain:
      let limits = plans[plan].limits
      for index in limits.indices where !keys[limits[index]].permits.hasPermit {
        let limit = limits[index]
        return .permit(
          limit, owners: owners(besides: handle) { $0.wait == .nowhere && $0.hasSlot && $0.limits.contains(limit) })
      }
      return .slot
    case .sharedRun: return plans[plan].sharedRun.map { .sharedRun($0) } ?? .step
    }
  }

  private func owners(besides waiting: Handle, where isOwner: (PlannedAction) -> Bool) -> [Handle] {
    standingHandles.filter { handle in
      guard handle != waiting, let plan = entries[handle].plan else { return false }
      return isOwner(plans[plan])
    }
  }
}
