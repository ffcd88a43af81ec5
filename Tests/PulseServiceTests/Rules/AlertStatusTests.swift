import Testing

@testable import PulseService

@Suite("AlertStatus")
struct AlertStatusTests {
  /// The words of the statuses that a row of observations leads to, one a second.
  private func words(_ observations: [Bool], _ hold: AlertRule.Hold, recovery: Int = 1) -> [String] {
    var status = AlertStatus.ok
    return observations.enumerated().map { second, isMet in
      status = status.next(isMet: isMet, at: .seconds(second), hold: hold, recovery: recovery)
      return status.word
    }
  }

  @Test(
    "An alert goes ok, pending, firing, resolved, when its condition has held for its time",
    arguments: [
      ([false, true, true, true, false, false], ["ok", "pending", "pending", "firing", "resolved", "resolved"]),
      ([true, true, false, true, true, true], ["pending", "pending", "ok", "pending", "pending", "firing"]),
    ])
  func time(observations: [Bool], expected: [String]) {
    #expect(words(observations, .time(.seconds(2))) == expected)
  }

  @Test(
    "An alert that counts observations fires at the last of them",
    arguments: [
      (1, [true, false, true], ["firing", "resolved", "firing"]),
      (2, [true, true, true, false], ["pending", "firing", "firing", "resolved"]),
      (2, [true, false, true, true], ["pending", "ok", "pending", "firing"]),
    ])
  func observations(count: Int, observations: [Bool], expected: [String]) {
    #expect(words(observations, .observations(count)) == expected)
  }

  @Test(
    "An alert that counts successes ends at the last of them in a row",
    arguments: [
      (2, [true, false, true, false, false, true], ["firing", "firing", "firing", "firing", "resolved", "firing"]),
      (3, [true, false, false, false, false], ["firing", "firing", "firing", "resolved", "resolved"]),
      (1, [true, false], ["firing", "resolved"]),
    ])
  func recovery(count: Int, observations: [Bool], expected: [String]) {
    #expect(words(observations, .observations(1), recovery: count) == expected)
  }

  @Test("A success changes neither the time at which an alert began to fire nor what it is once it is met again")
  func successes() {
    let firing = AlertStatus.firing(since: .seconds(3))
    let success = firing.next(isMet: false, at: .seconds(4), hold: .observations(1), recovery: 2)
    #expect(success == .firing(since: .seconds(3), successes: 1) && success.since == .seconds(3))
    #expect(success.next(isMet: true, at: .seconds(5), hold: .observations(1), recovery: 2) == firing)
  }

  @Test("A resolved alert that was only pending since stays resolved from its first end")
  func resolvedAgain() {
    let hold = AlertRule.Hold.time(.seconds(5))
    let pending = AlertStatus.resolved(at: .seconds(10)).next(isMet: true, at: .seconds(20), hold: hold)
    #expect(pending == .pending(since: .seconds(20), observations: 1, resolved: .seconds(10)))
    #expect(pending.next(isMet: false, at: .seconds(21), hold: hold) == .resolved(at: .seconds(10)))
  }

  @Test("The time of a status is when it began")
  func since() {
    let hold = AlertRule.Hold.time(.seconds(1))
    let pending = AlertStatus.ok.next(isMet: true, at: .seconds(3), hold: hold)
    #expect(AlertStatus.ok.since == nil)
    #expect(pending.since == .seconds(3))
    let firing = pending.next(isMet: true, at: .seconds(5), hold: hold)
    #expect(firing.since == .seconds(5))
    #expect(firing.next(isMet: true, at: .seconds(6), hold: hold).since == .seconds(5))
    #expect(firing.next(isMet: false, at: .seconds(7), hold: hold).since == .seconds(7))
  }
}
