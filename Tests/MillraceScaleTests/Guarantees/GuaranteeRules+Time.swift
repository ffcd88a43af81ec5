import Millrace
import MillraceTesting

/// Rules for the times at which actions are decided and end.
extension GuaranteeRules {
  /// Checks the waiting time and the duration of one action.
  func checkTime(of sending: ActionSender.Sending, _ seen: ActionSender.Seen, _ own: [SimulatedInteractor.Entry]) {
    let action = sending.action
    if let timeout = action.timeout {
      world.expect(seen.time <= sending.time + timeout, "Time: an action ends when its time is over")
    }
    // One that joined a run has the outcome of that.
    world.expect(
      seen.outcome != .timedOut || action.timeout != nil || action.attemptTimeout != nil || action.overlap == .shared,
      "Time: what has all the time there is does not time out")
    guard action.overlap == .debounced, let decided = own.first(where: { $0.act == .decided }) else { return }
    let due = sending.time + SimulatedAction.debounce
    world.expect(
      decided.time == due || log.shutDown.map { $0 <= decided.time && decided.time < due } == true,
      "Time: a debounced one is decided when its interval is over, or earlier when the store drains")
  }

  /// SimulatedInteractor of the key with a breaker are decided one after the other, so that their failures have an order.
  func checkBreaker() {
    var failures = 0
    var closedFrom = Duration.zero
    for entry in entries where entry.act == .decided && overlap(of: entry.action) == .guarded {
      // What is decided at once passes.
      guard let seen = log.seen[entry.action], counts.begun[entry.action] != nil else { continue }
      world.expect(entry.time >= closedFrom, "Breaker: nothing passes while it is open")
      switch seen.outcome {
      case .finished: failures = 0
      case .failed, .timedOut:
        failures += 1
        if failures >= SimulatedAction.breaker.figures.failures {
          closedFrom = seen.time + SimulatedAction.breaker.figures.openFor
        }
      default: break  // Whether an attempt has failed before it was cut is not known.
      }
    }
    for sending in log.sendings where log.seen[sending.action.number]?.rejectionKind == .breakerOpen {
      let begun = log.sendings.filter { $0.action.overlap == .guarded }.reduce(0) { begun, other in
        begun + (counts.begun[other.action.number] ?? 0)
      }
      world.expect(
        sending.action.overlap == .guarded && begun >= SimulatedAction.breaker.figures.failures,
        "Breaker: it is open only after so many failures")
      world.expect(
        counts.begun[sending.action.number] == nil && !entries.contains { $0.action == sending.action.number },
        "Breaker: what it rejects at its turn has changed nothing, and is not handled")
    }
  }
}
