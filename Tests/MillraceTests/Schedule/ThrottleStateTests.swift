import Testing

@testable import Millrace

/// Tables of event → answer; times are nanoseconds, and the interval is 10 unless an event says otherwise.
@Suite("ThrottleState")
struct ThrottleStateTests {
  enum Event {
    case arrive(at: Instant, interval: Int64 = 10)
    case ended(holdsOne: Bool, at: Instant)
  }

  enum Answer: Equatable {
    case pass, delay, drop
    /// The delayed action passes.
    case release
    case nothing
  }

  /// An event, its answer, and the end of the window that has to be left.
  struct Step {
    let event: Event
    let answer: Answer
    let end: Instant?

    init(_ event: Event, _ answer: Answer, until end: Instant?) {
      self.event = event
      self.answer = answer
      self.end = end
    }
  }

  private func check(leading: Bool, trailing: Bool, _ steps: [Step]) {
    var state = ThrottleState()
    for (index, step) in steps.enumerated() {
      #expect(
        apply(step.event, to: &state, leading: leading, trailing: trailing) == step.answer,
        "step \(index): \(step.event)")
      #expect(state.windowEnd == step.end, "step \(index): \(step.event)")
      #expect((state == ThrottleState()) == (step.end == nil), "step \(index): \(step.event)")
    }
  }

  private func apply(_ event: Event, to state: inout ThrottleState, leading: Bool, trailing: Bool) -> Answer {
    switch event {
    case .arrive(let now, let interval):
      switch state.arrive(interval: .nanoseconds(interval), leading: leading, trailing: trailing, at: now) {
      case .pass: .pass
      case .delay: .delay
      case .drop: .drop
      }
    case .ended(let holdsOne, let now):
      state.windowEnded(holdsOne: holdsOne, at: now) ? .release : .nothing
    }
  }

  @Test(
    "Leading and trailing: the first passes, the last is delayed and passes at the end, which opens the next window")
  func leadingAndTrailing() {
    check(
      leading: true, trailing: true,
      [
        Step(.arrive(at: 5), .pass, until: 15),
        Step(.arrive(at: 6), .delay, until: 15),
        Step(.arrive(at: 14), .delay, until: 15),
        Step(.ended(holdsOne: true, at: 15), .release, until: 25),
        Step(.arrive(at: 16), .delay, until: 25),
        Step(.ended(holdsOne: true, at: 25), .release, until: 35),
        Step(.ended(holdsOne: false, at: 35), .nothing, until: nil),
        Step(.arrive(at: 36), .pass, until: 46),
      ])
  }

  @Test("Leading only: the first passes, and the others of the window are rejected")
  func leadingOnly() {
    check(
      leading: true, trailing: false,
      [
        Step(.arrive(at: 0), .pass, until: 10),
        Step(.arrive(at: 0), .drop, until: 10),
        Step(.arrive(at: 9), .drop, until: 10),
        Step(.ended(holdsOne: false, at: 10), .nothing, until: nil),
        Step(.arrive(at: 10), .pass, until: 20),
      ])
  }

  @Test("Trailing only: the first is delayed and opens the window, and passes with its end")
  func trailingOnly() {
    check(
      leading: false, trailing: true,
      [
        Step(.arrive(at: 0), .delay, until: 10),
        Step(.arrive(at: 3), .delay, until: 10),
        Step(.ended(holdsOne: true, at: 10), .release, until: 20),
        Step(.ended(holdsOne: false, at: 20), .nothing, until: nil),
        Step(.arrive(at: 21), .delay, until: 31),
      ])
  }

  @Test("Neither leading nor trailing: nothing passes, and no window opens")
  func neither() {
    check(leading: false, trailing: false, [Step(.arrive(at: 0), .drop, until: nil)])
  }

  @Test("A delayed action that is cancelled leaves its window as it was")
  func theHeldOneIsCancelled() {
    check(
      leading: true, trailing: true,
      [
        Step(.arrive(at: 0), .pass, until: 10),
        Step(.arrive(at: 1), .delay, until: 10),
        Step(.ended(holdsOne: false, at: 10), .nothing, until: nil),
      ])
  }

  @Test("A window of which the scheduler learns too late lasts from then on")
  func aLateEnd() {
    check(
      leading: true, trailing: true,
      [
        Step(.arrive(at: 0), .pass, until: 10),
        Step(.arrive(at: 1), .delay, until: 10),
        Step(.ended(holdsOne: true, at: 13), .release, until: 23),
      ])
  }

  @Test("A window that is over has ended, told or not; and an end that is told too early, or twice, changes nothing")
  func untoldAndEarlyEnds() {
    check(
      leading: true, trailing: false,
      [
        Step(.ended(holdsOne: false, at: 0), .nothing, until: nil),
        Step(.arrive(at: 0), .pass, until: 10),
        Step(.ended(holdsOne: true, at: 9), .nothing, until: 10),
        Step(.arrive(at: 10), .pass, until: 20),
        Step(.ended(holdsOne: false, at: 10), .nothing, until: 20),
        Step(.ended(holdsOne: false, at: 20), .nothing, until: nil),
        Step(.ended(holdsOne: true, at: 20), .nothing, until: nil),
      ])
  }

  @Test("Where plans differ, the action delayed last says how long the next window is, and not how long this one is")
  func theNewestInterval() {
    check(
      leading: true, trailing: true,
      [
        Step(.arrive(at: 0), .pass, until: 10),
        Step(.arrive(at: 1, interval: 100), .delay, until: 10),
        Step(.ended(holdsOne: true, at: 10), .release, until: 110),
        Step(.arrive(at: 11, interval: 5), .delay, until: 110),
        Step(.ended(holdsOne: true, at: 110), .release, until: 115),
      ])
  }
}
