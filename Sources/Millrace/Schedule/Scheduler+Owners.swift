/// The runs that an action waits for, as the search for requests that can never be answered asks for them.
extension Scheduler {
  /// The event that an action waits for, and the runs that have to end before it.
  func wait(of handle: Handle) -> RunWait<Handle> {
    guard let plan = entries[handle].plan else { return entries[handle].phase.stage == .running ? .handler : .other }
    if let terms = plans[plan].terms, terms.timeout != nil || terms.attemptTimeout != nil { return .other }
    if let run = plans[plan].sharedRun { return .ends(of: [run]) }
    switch plans[plan].wait {
    case .turn: return waitForTurn(of: plan)
    case .line, .slotAgain: return waitForPermit(of: plan)
    case .pace, .recovery, .sharedRun: return .other
    case .nowhere: return entries[handle].phase.stage == .running ? .handler : .other
    }
  }

  /// The runs that have the turns of the key; a run that has ended while its handler runs is not found, and waits for its cancellation.
  private func waitForTurn(of plan: Int32) -> RunWait<Handle> {
    guard let key = plans[plan].key, !keys[key].overlap.turns.hasPermit else { return .other }
    let taken = keys[key].overlap.turns.taken
    var owners: [Handle] = []
    var next = keys[key].live.first
    while let live = next, owners.count < taken {
      if let plan = entries[live].plan, plans[plan].hasTurn { owners.append(live) }
      next = liveActions.handle(after: live)
    }
    return owners.count == taken && taken > 0 ? .ends(of: owners) : .other
  }

  /// The runs that have the permits of the limit in whose line the action waits.
  private func waitForPermit(of plan: Int32) -> RunWait<Handle> {
    guard let key = plans[plan].line, !keys[key].permits.hasPermit else { return .other }
    let owners = standing.handles(of: runs).filter { run in
      entries[run].plan.map { plans[$0].hasSlot && plans[$0].limits.contains(key) } ?? false
    }
    // A run whose steps are stored may give its permit back before it ends.
    let mayRest = owners.contains { owner in
      entries[owner].plan.flatMap { plans[$0].terms?.recovery }.map { $0 != .abandon } ?? false
    }
    return owners.count == keys[key].permits.taken && !owners.isEmpty && !mayRest ? .ends(of: owners) : .other
  }
}

/// The event that an action waits for, which says whether the end of other runs has to come before its own.
@usableFromInline
enum RunWait<Owner> {
  /// The return of its handler.
  case handler
  /// The end of each of these runs, which have the turns or the permits of a key, or are shared.
  case ends(of: [Owner])
  /// Anything else: a time, a slot, a timeout, or nothing, because the action has ended.
  case other
}

extension RunWait: Sendable where Owner: Sendable {}
