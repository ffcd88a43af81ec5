import Millrace
import MillraceTesting

/// Rules for the commits of a store that was shut down.
struct GuaranteeRules {
  let world: World
  let limits: StoreConfiguration.Limits
  let actions: [SimulatedAction]
  let entries: [SimulatedInteractor.Entry]
  let log: ActionSender.Log
  let counts: Handlers.Counts

  func check() {
    let sent = Set(log.sendings.map(\.action.number))
    world.expect(actions.allSatisfy { sent.contains($0.number) }, "What senders are given is sent")
    world.expect(Set(log.seen.keys) == sent, "R1: every action ends in exactly one outcome")
    for sending in log.sendings {
      let action = sending.action
      guard let seen = log.seen[action.number] else { continue }
      let own = entries.filter { $0.action == action.number }
      let acts = own.map(\.act)
      checkRun(of: action, seen, acts)
      checkOverlap(of: sending, seen, acts)
      checkTime(of: sending, seen, own)
    }
    checkBreaker()
    world.expect(!entries.contains { $0.action < 0 }, "S1: what was sent after the shutdown has changed nothing")
    checkOrder()
    checkOverlap()
    checkCuts()
    checkDropped()
    checkHandlers()
  }

  // MARK: One action

  /// Checks the commits of one action against its outcome.
  private func checkRun(of action: SimulatedAction, _ seen: ActionSender.Seen, _ acts: [SimulatedInteractor.Act]) {
    let parts = acts.compactMap { if case .part(let number, let attempt) = $0 { attempt * 100 + number } else { nil } }
    world.expect(parts == parts.sorted() && Set(parts).count == parts.count, "L1: a run's mutations are in its order")
    let closings = acts.filter { if case .closed = $0 { true } else { false } }
    world.expect(
      closings.isEmpty || closings == [acts.last], "R2: the closing mutation is the last one, and there is one")
    // A shared run continues for the others when the first of its actions has its outcome.
    guard action.overlap != .shared else { return }
    world.expect(acts.count == seen.entries, "R3: once an action has its outcome nothing of it is committed")
    world.expect(closings.allSatisfy { $0 == .closed(seen.outcome) }, "R2: the closing tells the outcome")
    let isTakenUp = acts.contains(.decided) || action.end == .reject && !acts.isEmpty
    world.expect(isTakenUp || acts.isEmpty, "R2: what was not taken up has changed nothing")
    world.expect(
      !isTakenUp || closings.isEmpty == (seen.outcome == .finished),
      "R2: what was taken up is closed unless it has finished")
  }

  /// Checks the overlaps of an action, and the reason for its rejection.
  private func checkOverlap(
    of sending: ActionSender.Sending, _ seen: ActionSender.Seen, _ acts: [SimulatedInteractor.Act]
  ) {
    let action = sending.action
    world.expect(
      !action.overlap.isAtOnce || sending.isNested || sending.decidedAtOnce || acts.isEmpty,
      "R4: one that does not wait for the turn of its key is decided at once, or never")
    world.expect(
      seen.outcome != .superseded || action.overlap == .latest || action.overlap == .debounced,
      "R4: only the latest takes the place of another one")
    world.expect(
      sending.isNested || (seen.rejectionKind == .exclusive) == (action.overlap == .exclusive && sending.metOthers),
      "R4: only an exclusive one is dropped for another, and only while that is open")
    world.expect(
      seen.rejectionKind != .exclusive || acts.isEmpty && counts.begun[action.number] == nil,
      "R4: what is dropped is neither decided nor handled")
    guard seen.rejectionKind == .full else { return }
    world.expect(counts.begun[action.number] == nil, "A1: what is shed is not handled")
    switch limits.onOverflow {
    case .reject, .dropNewestOfFullestKey:  // SimulatedInteractor have no limits, so that each is of the fullest key.
      world.expect(acts.isEmpty, "A1: what is refused is untouched")
      world.expect(!sending.endedAtOnce || sending.room <= 0, "A1: nothing is refused while there is room")
    case .dropOldest, .dropNewest:
      world.expect(
        !sending.endedAtOnce || limits.actionsWaiting == 0, "A1: one that waits is dropped, and not the new one")
    }
  }

  // MARK: Several of them

  private func checkOrder() {
    for (place, entry) in entries.enumerated() where entry.act == .decided {
      world.expect(entry.revision == place, "L2: decide is asked on the state that its mutations are committed on")
      let next = entries.indices.contains(place + 1) ? entries[place + 1] : nil
      world.expect(next?.action == entry.action && next?.act == .decidedToo, "L3: what is decided is one step")
    }
    let overlaps = SimulatedAction.Overlap.allCases
    for together in [overlaps.filter(\.isAtOnce)] + overlaps.filter({ !$0.isAtOnce }).map({ [$0] }) {
      let takenUp = entries.filter { entry in
        entry.act == .decided && together.contains { $0 == overlap(of: entry.action) }
      }.map(\.action)
      let order = log.sendings.map(\.action.number).filter { takenUp.contains($0) }
      world.expect(takenUp == order, "L2: actions are taken up in the order in which they were accepted")
    }
  }

  /// Of the actions of a key that replace, drop or join each other, one is under way at a time.
  private func checkOverlap() {
    for overlap in [SimulatedAction.Overlap.latest, .exclusive, .shared, .debounced] {
      var before: Set<Int> = []
      var current: Int?
      for entry in entries where self.overlap(of: entry.action) == overlap && entry.action != current {
        world.expect(
          !before.contains(entry.action),
          "R2, R4: nothing of a run is committed after anything of the next one of its key")
        if let current { before.insert(current) }
        current = entry.action
      }
    }
  }

  private func checkCuts() {
    for cut in log.cuts {
      world.expect(
        !entries.dropFirst(cut.revision).contains { cut.actions.contains($0.action) },
        "R3: when a cancel has returned nothing is committed of what was accepted before it")
    }
  }

  /// Checks that a dropped action had waited longer, or shorter, than all that are known to have waited then.
  private func checkDropped() {
    guard limits.onOverflow != .reject else { return }
    let places = Dictionary(uniqueKeysWithValues: log.sendings.enumerated().map { ($1.action.number, $0) })
    for sending in log.sendings {
      // A run that is shared waits by itself, and takes with it all who have joined it.
      for dropped in sending.ended where log.seen[dropped]?.rejectionKind == .full && overlap(of: dropped) != .shared {
        let decided = entries.firstIndex { $0.action == dropped }
        for other in sending.undecided {
          guard let place = places[dropped], let otherPlace = places[other] else { continue }
          // One that was decided has waited since then, for a slot.
          let isOlder = decided.map { $0 < log.sendings[otherPlace].revision } ?? (place < otherPlace)
          world.expect(
            isOlder == (limits.onOverflow == .dropOldest), "A1: the one is dropped that the overflow policy names")
        }
      }
    }
  }

  private func checkHandlers() {
    for overlap in SimulatedAction.Overlap.allCases {
      world.expect(
        counts.out.most[overlap] ?? 0 <= overlap.mostOut ?? .max,
        "R4: a turn is free when the handler before it has returned")
      world.expect(
        counts.heard.most[overlap] ?? 0 <= overlap.mostHeard ?? .max,
        "R4: no more handlers are out that were not cancelled than their plan allows")
    }
    world.expect(counts.mostOfAll <= limits.runsInFlight, "A1: no more handlers are out than there are slots")
    world.expect(counts.all == 0, "R4: every handler has returned")
    for action in log.sendings.map(\.action) {
      world.expect(counts.begun[action.number] ?? 0 <= action.attempts, "R1: a handler begins once an attempt")
    }
  }

  /// Checks the counters of a store that was sent another action after its shutdown.
  func check(_ metrics: Metrics) {
    world.expect(metrics.sent == metrics.outcomes.values.reduce(0, +), "R1: as many actions end as were sent")
    world.expect(
      metrics.inFlight == 0 && metrics.waiting == 0 && metrics.notReturned == 0 && metrics.submitting == 0,
      "R5: nothing is left of what has ended"
    )
    for reason in Rejection.Kind.allCases {
      let seen = log.seen.values.count { $0.rejectionKind == reason } + (reason == .shuttingDown ? 1 : 0)
      world.expect(metrics.rejections[reason] ?? 0 == seen, "A3: what is rejected is counted by its reason")
    }
  }

  /// The overlap of an action by its number; nil for the action that was sent after the shutdown.
  func overlap(of number: Int) -> SimulatedAction.Overlap? {
    log.sendings.first { $0.action.number == number }?.action.overlap
  }
}
