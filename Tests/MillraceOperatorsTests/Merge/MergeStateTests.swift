import Testing

@testable import MillraceOperators

@Suite("MergeState")
struct MergeStateTests {
  @Test("A base is asked when the consumer demands and nothing is due, one element at a time")
  func bases() {
    check(
      MergeState(bases: 2),
      [
        (.demand(0), .ask(0, 1)),
        (.receive(1, from: 0, at: 0), .element(1)),
        (.demand(0), .ask(0)),
        (.receive(2, from: 1, at: 0), .element(2)),
        (.receive(3, from: 0, at: 0), .none),
        // The third element is due, so the second base is not asked before it was taken.
        (.demand(0), .element(3)),
        (.demand(0), .ask(0, 1)),
      ])
  }

  @Test("Of three that answer, each comes in its turn before one comes twice")
  func fairness() {
    check(
      MergeState(bases: 3),
      [
        (.demand(0), .ask(0, 1, 2)),
        (.receive(20, from: 2, at: 0), .element(20)),
        (.receive(0, from: 0, at: 0), .none),
        (.receive(10, from: 1, at: 0), .none),
        (.demand(0), .element(0)),
        (.demand(0), .element(10)),
        (.demand(0), .ask(0, 1, 2)),
      ])
  }

  @Test("It ends when all bases have ended, behind what is due")
  func ends() {
    check(
      MergeState(bases: 2),
      [
        (.demand(0), .ask(0, 1)),
        (.end(0, nil), .none),
        (.receive(1, from: 1, at: 0), .element(1)),
        (.demand(0), .ask(1)),
        (.end(1, nil), .endAndClose),
        (.demand(0), .end),
      ])
    check(
      MergeState(bases: 2),
      [
        (.demand(0), .ask(0, 1)),
        (.receive(1, from: 1, at: 0), .element(1)),
        (.receive(2, from: 0, at: 0), .none),
        // What a base says at its end, it says without being asked.
        (.end(0, nil), .none),
        (.end(1, nil), .close),
        (.demand(0), .element(2)),
        (.demand(0), .end),
      ])
  }

  @Test("The first failure ends it behind what is due; what comes after it is dropped")
  func fails() {
    check(
      MergeState(bases: 3),
      [
        (.demand(0), .ask(0, 1, 2)),
        (.receive(1, from: 0, at: 0), .element(1)),
        (.receive(2, from: 1, at: 0), .none),
        (.end(2, Mishap()), .close),
        (.receive(3, from: 1, at: 0), .none),
        (.demand(0), .element(2)),
        (.demand(0), .failure),
        (.demand(0), .end),
      ])
    check(MergeState(bases: 2), [(.demand(0), .ask(0, 1)), (.end(1, Mishap()), .failureAndClose), (.demand(0), .end)])
  }

  @Test("Cancelled, it closes, and what comes after it is dropped")
  func cancelled() {
    check(
      MergeState(bases: 2),
      [
        (.demand(0), .ask(0, 1)), (.cancel, .endAndClose), (.receive(1, from: 0, at: 0), .none), (.demand(0), .end),
        (.end(1, Mishap()), .close), (.demand(0), .end),
      ])
    check(MergeState(bases: 2), [(.cancel, .close), (.demand(0), .end)])
  }
}
