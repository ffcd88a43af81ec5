import Testing

@testable import Millrace

/// Tables of event → answer; times are nanoseconds.
///
/// The breaker opens after 3 failures no more than 10 apart, for 100.
@Suite("BreakerState")
struct BreakerStateTests {
  enum Event {
    case admit(at: Instant)
    case succeed
    case fail(at: Instant)
    case withdraw(at: Instant)
    case probeSucceeds
    case probeFails(at: Instant)
    case probeWithdraws(at: Instant)
  }

  /// An event, what becomes of the action if it is one, and the phase that has to be left.
  struct Step {
    let event: Event
    let admission: BreakerState.Admission?
    let phase: BreakerState.Phase

    init(_ event: Event, _ admission: BreakerState.Admission, _ phase: BreakerState.Phase) {
      self.event = event
      self.admission = admission
      self.phase = phase
    }

    init(_ event: Event, _ phase: BreakerState.Phase) {
      self.event = event
      admission = nil
      self.phase = phase
    }
  }

  static let breaker = Plan.Breaker.Figures(failures: 3, within: .nanoseconds(10), openFor: .nanoseconds(100))
  static let new = BreakerState.Phase.closed(failures: 0, last: 0)

  /// Three failures at 0: open until 100.
  static let opening = [
    Step(.fail(at: 0), .closed(failures: 1, last: 0)),
    Step(.fail(at: 0), .closed(failures: 2, last: 0)),
    Step(.fail(at: 0), .open(until: 100)),
  ]

  /// Open until 100, and the probe out since then.
  static let probing = opening + [Step(.admit(at: 100), .probe, .halfOpen(isProbing: true, since: 100))]

  private func check(_ steps: [Step]) {
    var state = BreakerState()
    for (index, step) in steps.enumerated() {
      #expect(apply(step.event, to: &state) == step.admission, "step \(index): \(step.event)")
      #expect(state.phase == step.phase, "step \(index): \(step.event)")
      // Only a closed one allows another attempt.
      let isClosed = if case .closed = step.phase { true } else { false }
      #expect(state.allowsRetry == isClosed, "step \(index): \(step.event)")
    }
  }

  private func apply(_ event: Event, to state: inout BreakerState) -> BreakerState.Admission? {
    switch event {
    case .admit(let now): return state.admit(Self.breaker, at: now)
    case .succeed: state.succeeded(isProbe: false)
    case .fail(let now): state.failed(Self.breaker, isProbe: false, at: now)
    case .withdraw(let now): state.withdrew(isProbe: false, at: now)
    case .probeSucceeds: state.succeeded(isProbe: true)
    case .probeFails(let now): state.failed(Self.breaker, isProbe: true, at: now)
    case .probeWithdraws(let now): state.withdrew(isProbe: true, at: now)
    }
    return nil
  }

  @Test("A closed breaker lets all pass, and a success returns it to its initial state")
  func closed() {
    check([
      Step(.admit(at: 0), .pass, Self.new),
      Step(.fail(at: 1), .closed(failures: 1, last: 1)),
      Step(.admit(at: 2), .pass, .closed(failures: 1, last: 1)),
      Step(.fail(at: 3), .closed(failures: 2, last: 3)),
      Step(.succeed, Self.new),
      Step(.fail(at: 4), .closed(failures: 1, last: 4)),
      Step(.withdraw(at: 5), .closed(failures: 1, last: 4)),
      Step(.fail(at: 5), .closed(failures: 2, last: 5)),
      Step(.fail(at: 6), .open(until: 106)),
    ])
  }

  @Test("Failures count as in a row when each is no further from the one before than `within`")
  func failuresFarApart() {
    check([
      Step(.fail(at: 0), .closed(failures: 1, last: 0)),
      Step(.fail(at: 10), .closed(failures: 2, last: 10)),
      Step(.fail(at: 21), .closed(failures: 1, last: 21)),
      Step(.admit(at: 31), .pass, .closed(failures: 1, last: 21)),
      Step(.fail(at: 31), .closed(failures: 2, last: 31)),
      Step(.fail(at: 41), .open(until: 141)),
    ])
  }

  @Test("An open breaker rejects until its time is over, then lets one through and rejects the others")
  func open() {
    check(
      Self.opening + [
        Step(.admit(at: 1), .reject, .open(until: 100)),
        Step(.admit(at: 99), .reject, .open(until: 100)),
        Step(.admit(at: 100), .probe, .halfOpen(isProbing: true, since: 100)),
        Step(.admit(at: 100), .reject, .halfOpen(isProbing: true, since: 100)),
        Step(.admit(at: 9_999), .reject, .halfOpen(isProbing: true, since: 100)),
      ])
  }

  @Test("The probe's success closes a half-open breaker, and its failure opens it again")
  func theProbeDecides() {
    check(
      Self.probing + [
        Step(.probeSucceeds, Self.new),
        Step(.admit(at: 101), .pass, Self.new),
      ])
    check(
      Self.probing + [
        Step(.probeFails(at: 150), .open(until: 250)),
        Step(.admit(at: 249), .reject, .open(until: 250)),
        Step(.admit(at: 250), .probe, .halfOpen(isProbing: true, since: 250)),
      ])
  }

  @Test("A probe that is withdrawn is given to the next one that comes")
  func theProbeIsGivenBack() {
    check(
      Self.probing + [
        Step(.probeWithdraws(at: 500), .halfOpen(isProbing: false, since: 500)),
        Step(.admit(at: 509), .probe, .halfOpen(isProbing: true, since: 509)),
        Step(.admit(at: 509), .reject, .halfOpen(isProbing: true, since: 509)),
        Step(.probeSucceeds, Self.new),
      ])
  }

  @Test("Runs that started before it opened neither close it nor keep it open")
  func lateEnds() {
    check(
      Self.opening + [
        Step(.fail(at: 50), .open(until: 100)),
        Step(.succeed, .open(until: 100)),
        Step(.withdraw(at: 51), .open(until: 100)),
        Step(.admit(at: 100), .probe, .halfOpen(isProbing: true, since: 100)),
        Step(.fail(at: 101), .halfOpen(isProbing: true, since: 100)),
        Step(.succeed, .halfOpen(isProbing: true, since: 100)),
        Step(.withdraw(at: 102), .halfOpen(isProbing: true, since: 100)),
        Step(.probeWithdraws(at: 103), .halfOpen(isProbing: false, since: 103)),
        Step(.fail(at: 104), .halfOpen(isProbing: false, since: 103)),
        Step(.succeed, .halfOpen(isProbing: false, since: 103)),
      ])
  }

  @Test("A probe that ends twice changes nothing the second time")
  func aProbeEndsOnce() {
    check(
      Self.probing + [
        Step(.probeFails(at: 110), .open(until: 210)),
        Step(.probeFails(at: 120), .open(until: 210)),
        Step(.probeSucceeds, .open(until: 210)),
        Step(.probeWithdraws(at: 120), .open(until: 210)),
      ])
    check(
      Self.probing + [
        Step(.probeWithdraws(at: 101), .halfOpen(isProbing: false, since: 101)),
        Step(.probeFails(at: 102), .halfOpen(isProbing: false, since: 101)),
        Step(.probeSucceeds, .halfOpen(isProbing: false, since: 101)),
      ])
  }

  @Test("A breaker without an action for `within` lets the next pass as a new one does")
  func nobodyCame() {
    check(Self.opening + [Step(.admit(at: 109), .probe, .halfOpen(isProbing: true, since: 109))])
    check(Self.opening + [Step(.admit(at: 110), .pass, Self.new)])
    let idle = Self.probing + [Step(.probeWithdraws(at: 200), .halfOpen(isProbing: false, since: 200))]
    check(idle + [Step(.admit(at: 209), .probe, .halfOpen(isProbing: true, since: 209))])
    check(idle + [Step(.admit(at: 210), .pass, Self.new)])
  }

  @Test(
    "It needs to be remembered no longer than it makes a difference, and as long as the probe is out",
    arguments: [
      ([], nil),
      (Array(opening[..<1]), 11),
      (Array(opening[..<2]), 11),
      (opening, 110),
      (probing, Instant.max),
      (probing + [Step(.probeWithdraws(at: 200), .halfOpen(isProbing: false, since: 200))], 210),
      (probing + [Step(.probeSucceeds, new)], nil),
      (probing + [Step(.probeFails(at: 200), .open(until: 300))], 310),
    ] as [([Step], Instant?)])
  func forgetting(steps: [Step], forgottenAt: Instant?) {
    var state = BreakerState()
    for step in steps { _ = apply(step.event, to: &state) }
    #expect(state.forgottenAt(Self.breaker) == forgottenAt)
    #expect(state.isForgotten(Self.breaker, at: (forgottenAt ?? 0) - 1) == (forgottenAt == nil))
    #expect(state.isForgotten(Self.breaker, at: forgottenAt ?? 0))
  }

  @Test("Where plans differ, the newest breaker decides")
  func theNewestBreakerDecides() {
    var state = BreakerState()
    for _ in 0..<2 { state.failed(Self.breaker, isProbe: false, at: 0) }
    let stricter = Plan.Breaker.Figures(failures: 1, within: .nanoseconds(10), openFor: .nanoseconds(7))
    #expect(state.admit(stricter, at: 1) == .pass)
    state.failed(stricter, isProbe: false, at: 2)
    #expect(state.phase == .open(until: 9))
  }

  @Test("A breaker that opens at its first failure, with the longest times, does not overflow")
  func theLongestTimes() {
    let longest = Plan.Breaker.Figures(failures: 1, within: .seconds(Int64.max), openFor: .seconds(Int64.max))
    var state = BreakerState()
    state.failed(longest, isProbe: false, at: Int64.max / 4)
    #expect(state.admit(longest, at: Int64.max / 4) == .reject)
    #expect(!state.isForgotten(longest, at: Int64.max / 2))
  }
}
