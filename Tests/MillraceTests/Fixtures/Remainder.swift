@testable import Millrace

extension Scheduler {
  /// The first of its parts that is not as in a new scheduler; nil if nothing is left of any action.
  ///
  /// The totals of named plans remain, and are not looked at.
  var remainder: String? {
    let parts: [(String, Bool)] = [
      ("an action is named", entries.count > 0), ("a plan is stored", plans.count > 0),
      ("a key is remembered", !keys.isEmpty), ("a timer is set", !timers.isEmpty),
      ("a run is listed", !runs.isEmpty), ("a waiting action is listed", !room.isEmpty),
      ("an action that is handled again is listed", !restored.isEmpty),
      ("a handler is listed as not returned", !notReturned.isEmpty), ("an action is in line", !ownLine.actions.isEmpty),
      ("a line is in the ring", !ring.isEmpty || ownLine.isInRing),
      ("a waiting action is counted", waitingCounts.most > 0),
      ("a slot is taken", freeSlots != Int32(limits.runsInFlight)), ("a submit is counted", submitting != 0),
      ("a caller of a drain is known", !callers.isEmpty), ("the end of a drain is awaited", drainEnd != nil),
      ("an action of the owner is due", !actions.isEmpty), ("a step is due", hasSteps),
      ("an admission is due", isAdmitDue), ("a shared run is counted", sharedRuns != 0),
      ("a first member is counted", firstMembers != 0),
      ("a run of a name is counted", namedPlans.figures.contains { $0.running != 0 }),
      ("a waiting action of a name is counted", namedPlans.figures.contains { $0.waiting != 0 }),
      ("an open breaker of a name is counted", namedPlans.figures.contains { $0.openBreakers != 0 }),
    ]
    return parts.first { $0.1 }?.0
  }
}

extension RunRegistry {
  /// The first of its parts that is not as in a new registry; nil if nothing is left of any action.
  var remainder: String? {
    let parts: [(String, Bool)] = [
      ("a record is kept", tables.records.contains { $0 != nil }), ("an action is pending", !tables.pending.isEmpty),
      ("an idempotency key is kept", !keyed.isEmpty), ("a follower is counted", followerCount != 0),
      ("a key of a joiner is kept", !keyedJoiners.isEmpty), ("a submit is in line", !submitters.isEmpty),
      ("a run is to be ended", hasRunsToEnd), ("an end of queued actions is in progress", !queuedEnds.isEmpty),
    ]
    return scheduler.remainder ?? parts.first { $0.1 }?.0
  }
}

extension Store {
  /// The first part of its runs that remains, behind all work that was queued before; nil if nothing is left of any action.
  nonisolated var remainder: String? {
    get async { await onRuns { $0?.remainder } }
  }
}
