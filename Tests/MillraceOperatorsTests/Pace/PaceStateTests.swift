import Testing

@testable import MillraceOperators

/// Time is in seconds, an interval lasts three.
@Suite("PaceState")
struct PaceStateTests {
  private typealias State = PaceState<Int, Mishap>

  private let debounce = State(.debounce(.seconds(3)))
  private let latest = State(.throttle(.seconds(3), latest: true))
  private let first = State(.throttle(.seconds(3), latest: false))

  @Test("Debounce: an element is due when nothing came for the interval, and the alarm is set once at a time")
  func debounceWaits() {
    check(
      debounce,
      [
        (.demand(0), .ask(0)),
        (.receive(1, from: 0, at: 1), .alarm(4, ask: [0])),
        (.receive(2, from: 0, at: 3), .ask(0)),
        (.wake(4), .alarm(6)),
        (.wake(6), .element(2)),
        // The base answers while no reader waits: time passes, and the base is asked again.
        (.receive(3, from: 0, at: 8), .alarm(11, ask: [0])),
        (.receive(4, from: 0, at: 9), .ask(0)),
        (.wake(11), .alarm(12)),
        (.wake(12), .none),
        // The fourth is due; one element is looked ahead, and no time runs.
        (.receive(5, from: 0, at: 13), .none),
        // Its interval begins when it could be followed by another one.
        (.demand(20), .element(4, ask: [0], alarm: 23)),
        (.demand(20), .none),
        (.wake(23), .element(5)),
      ])
  }

  @Test("Debounce: what is due by now is due though the alarm is late, and is not replaced")
  func debounceWithALateAlarm() {
    check(
      debounce,
      [
        (.demand(0), .ask(0)),
        (.receive(1, from: 0, at: 0), .alarm(3, ask: [0])),
        (.receive(2, from: 0, at: 3), .element(1, ask: [0])),
        (.wake(3), .alarm(6)),
        (.demand(6), .element(2)),
        (.wake(6), .none),
      ])
  }

  @Test("Debounce: at the end what waits is due at once, then the end; at a failure too")
  func debounceEnds() {
    check(
      debounce,
      [
        (.demand(0), .ask(0)),
        (.receive(1, from: 0, at: 0), .alarm(3, ask: [0])),
        (.end(0, nil), .element(1, closes: true)),
        (.demand(0), .end),
        (.wake(3), .none),
      ])
    check(
      debounce,
      [
        (.demand(0), .ask(0)),
        (.receive(1, from: 0, at: 0), .alarm(3, ask: [0])),
        (.end(0, Mishap()), .element(1, closes: true)),
        (.demand(0), .failure),
        (.demand(0), .end),
      ])
    check(debounce, [(.demand(0), .ask(0)), (.end(0, nil), .endAndClose), (.demand(0), .end)])
  }

  @Test("Debounce: what is due and what was looked ahead come before the failure")
  func debounceEndsAhead() {
    check(
      debounce,
      [
        (.demand(0), .ask(0)),
        (.receive(1, from: 0, at: 0), .alarm(3, ask: [0])),
        (.wake(3), .element(1)),
        (.receive(2, from: 0, at: 4), .alarm(7, ask: [0])),
        (.wake(7), .none),
        (.receive(3, from: 0, at: 8), .none),
        (.end(0, Mishap()), .close),
        (.demand(9), .element(2)),
        (.demand(9), .element(3)),
        (.demand(9), .failure),
      ])
  }

  @Test("Throttle: the first comes at once, then the newest of each interval at its end")
  func throttleLatest() {
    check(
      latest,
      [
        (.demand(0), .ask(0)),
        (.receive(1, from: 0, at: 1), .element(1, ask: [0], alarm: 4)),
        (.demand(1), .none),
        (.receive(2, from: 0, at: 2), .ask(0)),
        (.receive(3, from: 0, at: 3), .ask(0)),
        (.wake(4), .element(3, alarm: 7)),
        (.demand(5), .none),
        // Nothing came, so the next one passes at once.
        (.wake(7), .none),
        (.receive(4, from: 0, at: 8), .element(4, ask: [0], alarm: 11)),
      ])
  }

  @Test("Throttle: with `latest` false it is the first of each interval, and the others are read and dropped")
  func throttleFirst() {
    check(
      first,
      [
        (.demand(0), .ask(0)),
        (.receive(1, from: 0, at: 1), .element(1, ask: [0], alarm: 4)),
        (.demand(1), .none),
        (.receive(2, from: 0, at: 2), .ask(0)),
        (.receive(3, from: 0, at: 3), .ask(0)),
        (.wake(4), .element(2, alarm: 7)),
      ])
  }

  @Test("Throttle: an interval begins with the delivery, and one element is looked ahead of one that is due")
  func throttleWaitsForTheConsumer() {
    check(
      latest,
      [
        (.demand(0), .ask(0)),
        (.receive(1, from: 0, at: 0), .element(1, ask: [0], alarm: 3)),
        (.receive(2, from: 0, at: 1), .ask(0)),
        (.wake(3), .none),
        (.receive(3, from: 0, at: 4), .none),
        (.demand(10), .element(2, ask: [0], alarm: 13)),
        (.receive(4, from: 0, at: 12), .ask(0)),
        (.demand(13), .element(4)),
        (.wake(13), .alarm(16)),
      ])
  }

  @Test("Throttle: an element that comes when no interval runs and no consumer waits is due, and nothing is read ahead")
  func throttleIsQuiet() {
    check(
      latest,
      [
        (.demand(0), .ask(0)),
        (.receive(1, from: 0, at: 0), .element(1, ask: [0], alarm: 3)),
        (.wake(3), .none),
        (.receive(2, from: 0, at: 4), .none),
        (.demand(5), .element(2, ask: [0], alarm: 8)),
      ])
  }

  @Test("Throttle: at the end what waits is due at once, then the end")
  func throttleEnds() {
    check(
      latest,
      [
        (.demand(0), .ask(0)),
        (.receive(1, from: 0, at: 0), .element(1, ask: [0], alarm: 3)),
        (.receive(2, from: 0, at: 1), .ask(0)),
        (.end(0, nil), .close),
        (.demand(1), .element(2)),
        (.demand(1), .end),
        (.wake(3), .none),
      ])
  }

  @Test("Cancelled, it drops what waits, and asks for nothing")
  func cancelled() {
    check(
      debounce,
      [
        (.demand(0), .ask(0)),
        (.receive(1, from: 0, at: 0), .alarm(3, ask: [0])),
        (.cancel, .endAndClose),
        (.receive(2, from: 0, at: 1), .none),
        (.wake(3), .none),
        (.demand(4), .end),
        (.end(0, Mishap()), .close),
      ])
  }
}
