import Millrace
import MillraceTesting

/// Rules for the times at which errands are decided and end.
extension ErrandRules {
  /// Checks the waiting time and the duration of one errand.
  func checkTime(of sending: ErrandSender.Sending, _ seen: ErrandSender.Seen, _ own: [Errands.Entry]) {
    let errand = sending.errand
    if let timeout = errand.timeout {
      world.expect(seen.time <= sending.time + timeout, "Time: an action ends when its time is over")
    }
    // One that joined a run has the outcome of that.
    world.expect(
      seen.outcome != .timedOut || errand.timeout != nil || errand.attemptTimeout != nil || errand.meeting == .shared,
      "Time: what has all the time there is does not time out")
    guard errand.meeting == .debounced, let decided = own.first(where: { $0.act == .decided }) else { return }
    let due = sending.time + Errand.debounce
    world.expect(
      decided.time == due || log.shutDown.map { $0 <= decided.time && decided.time < due } == true,
      "Time: a debounced one is decided when its interval is over, or earlier when the store drains")
  }

  /// Errands of the key with a breaker are decided one after the other, so that their failures have an order.
  func checkBreaker() {
    var failures = 0
    var closedFrom = Duration.zero
    for entry in entries where entry.act == .decided && meeting(of: entry.errand) == .guarded {
      // What is decided at once passes.
      guard let seen = log.seen[entry.errand], counts.begun[entry.errand] != nil else { continue }
      world.expect(entry.time >= closedFrom, "Breaker: nothing passes while it is open")
      switch seen.outcome {
      case .finished: failures = 0
      case .failed, .timedOut:
        failures += 1
        if failures >= Errand.breaker.figures.failures { closedFrom = seen.time + Errand.breaker.figures.openFor }
      default: break  // Whether an attempt has failed before it was cut is not known.
      }
    }
    for sending in log.sendings where log.seen[sending.errand.number]?.rejectionKind == .breakerOpen {
      let begun = log.sendings.filter { $0.errand.meeting == .guarded }.reduce(0) { begun, other in
        begun + (counts.begun[other.errand.number] ?? 0)
      }
      world.expect(
        sending.errand.meeting == .guarded && begun >= Errand.breaker.figures.failures,
        "Breaker: it is open only after so many failures")
      world.expect(
        counts.begun[sending.errand.number] == nil && !entries.contains { $0.errand == sending.errand.number },
        "Breaker: what it rejects at its turn has changed nothing, and is not handled")
    }
  }
}
