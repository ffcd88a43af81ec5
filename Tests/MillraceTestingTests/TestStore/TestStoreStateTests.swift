import Testing

@testable import Millrace
@testable import MillraceTesting

/// Tables of events and what they lead to; a waiter, an action and a mutation are words here, and a state is its
/// revision.
@Suite("TestStoreState")
struct TestStoreStateTests {
  typealias Content = TestStoreState<String, String, Int, String>

  enum Event {
    case accept(Int)
    case commit(Int)
    case endStep(Int)
    case end(Int)
    case wait(String, Int, TestStoreWait.Wish)
    case waitCancelled(String, Int, TestStoreWait.Wish)
    case giveUp(Int, TestStoreWait.Answer?)
    case takeFirst(String?)
    case takeAll([String])
    case takeStep(Int, before: [String], step: [String])
  }

  /// Goes through events, each with who is woken and what they are told.
  private func check(_ state: inout Content, _ steps: [(event: Event, woken: [String])]) {
    for (index, step) in steps.enumerated() {
      let woken = apply(step.event, to: &state).map { "\($0.waiter): \($0.answer.map { "\($0)" } ?? "cancelled")" }
      #expect(woken == step.woken, "step \(index): \(step.event)")
    }
  }

  private func apply(_ event: Event, to state: inout Content) -> [Content.Wake] {
    switch event {
    case .accept(let id):
      state.accepted(Content.OpenAction(id: .queued(id), action: "a\(id)", hasParent: false))
    case .commit(let id):
      revision += 1
      let commit = Content.Commit(mutation: "m\(revision)", revision: revision, action: "a\(id)", state: revision)
      return state.committed(commit, of: .queued(id))
    case .endStep(let id): state.stepEnded(of: .queued(id))
    case .end(let id): return state.ended(.queued(id))
    case .wait(let waiter, let id, let wish): return state.wait(for: wish, waiter, id: id, isCancelled: false)
    case .waitCancelled(let waiter, let id, let wish): return state.wait(for: wish, waiter, id: id, isCancelled: true)
    case .giveUp(let id, let answer): return state.giveUp(id, answer)
    case .takeFirst(let mutation): #expect(state.takeFirst()?.mutation == mutation)
    case .takeAll(let mutations): #expect(state.takeAll().map(\.mutation) == mutations)
    case .takeStep(let id, let before, let step):
      let taken = state.takeStep(of: .queued(id))
      #expect(taken.before.map(\.mutation) == before)
      #expect(taken.step.map(\.mutation) == step)
    }
    return []
  }

  /// The commits so far.
  private var revision: Int {
    get { counter.withLock { $0 } }
    nonmutating set { counter.withLock { $0 = newValue } }
  }

  private let counter = Count()

  private final class Count: Sendable {
    private let count = Lock(0)
    func withLock<Result: Sendable>(_ body: (inout Int) -> Result) -> Result { count.withLock { body(&$0) } }
  }

  private func state(hasOtherSenders: Bool = false) -> Content {
    Content(expected: 0, hasOtherSenders: hasOtherSenders)
  }

  @Test("Commits between acceptance and the end of the step are the step's, the closing of another action too")
  func steps() {
    var state = state()
    check(
      &state,
      [
        (.accept(1), []), (.commit(1), []), (.endStep(1), []), (.commit(1), []),
        (.accept(2), []), (.commit(1), []), (.end(1), []), (.commit(2), []), (.endStep(2), []), (.commit(2), []),
        (.takeStep(1, before: [], step: ["m1"]), []),
        (.takeStep(2, before: ["m2"], step: ["m3", "m4"]), []),
        (.takeStep(2, before: [], step: []), []),
        (.takeFirst("m5"), []), (.takeFirst(nil), []),
      ])
    #expect(state.expected == 5)
    #expect(state.assertedRevision == 5)
  }

  @Test("An action that committed nothing in its step takes nothing")
  func emptyStep() {
    var state = state()
    check(
      &state,
      [
        (.accept(1), []), (.endStep(1), []), (.commit(1), []), (.takeStep(1, before: [], step: []), []),
        (.takeAll(["m1"]), []), (.takeAll([]), []),
      ])
    #expect(state.expected == 1)
  }

  @Test("A wait for a commit ends with it, or when no action is open")
  func commits() {
    var state = state()
    check(
      &state,
      [
        (.wait("w", 1, .commit(after: 0)), ["w: quiet"]),
        (.accept(1), []), (.wait("w", 2, .commit(after: 0)), []), (.wait("v", 3, .commit(after: 1)), []),
        (.commit(1), ["w: fulfilled"]), (.wait("w", 4, .commit(after: 0)), ["w: fulfilled"]),
        (.accept(2), []), (.end(1), []), (.end(2), ["v: quiet"]),
      ])
  }

  @Test("Where others may send too, a wait for a commit continues without an open action")
  func otherSenders() {
    var state = state(hasOtherSenders: true)
    check(
      &state,
      [
        (.wait("w", 1, .commit(after: 0)), []), (.accept(1), []), (.end(1), []), (.accept(2), []),
        (.commit(2), ["w: fulfilled"]), (.end(2), []), (.wait("v", 2, .quiet), ["v: fulfilled"]),
      ])
  }

  @Test("A wait for an end ends with that action, a wait for quiet with the last one; in the order in which they began")
  func ends() {
    var state = state()
    check(
      &state,
      [
        (.wait("w", 1, .end(of: .queued(1))), ["w: fulfilled"]), (.accept(1), []), (.accept(2), []),
        (.wait("q", 2, .quiet), []), (.wait("x", 3, .end(of: .queued(2))), []),
        (.wait("y", 4, .end(of: .queued(1))), []),
        (.end(1), ["y: fulfilled"]), (.end(2), ["q: fulfilled", "x: fulfilled"]),
      ])
  }

  @Test("A client that gives up is told so once, and one cancelled before never waits")
  func givingUp() {
    var state = state()
    check(
      &state,
      [
        (.accept(1), []), (.wait("w", 1, .quiet), []), (.giveUp(1, .late), ["w: late"]), (.giveUp(1, nil), []),
        (.wait("v", 2, .quiet), []), (.giveUp(2, nil), ["v: cancelled"]),
        (.waitCancelled("u", 3, .quiet), ["u: cancelled"]), (.end(1), []),
      ])
  }

  @Test("A store has to be finished when an action was open at the end of its step")
  func needsFinish() {
    var state = state()
    check(&state, [(.accept(1), []), (.commit(1), []), (.end(1), []), (.endStep(1), [])])
    #expect(!state.needsFinish)
    check(&state, [(.accept(2), []), (.endStep(2), []), (.commit(2), []), (.end(2), [])])
    #expect(state.needsFinish)
    state.finished()
    #expect(!state.needsFinish)
  }

  @Test("An open action knows where it was sent and how much it committed")
  func openActions() {
    var state = state()
    check(&state, [(.accept(1), []), (.accept(2), []), (.commit(2), []), (.commit(2), [])])
    state.sent(.queued(2), at: TestLine("Tests/Some.swift", 3))
    state.sent(.queued(3), at: TestLine("Tests/Some.swift", 4))
    #expect(state.open.map(\.action) == ["a1", "a2"])
    #expect(state.open.map(\.commits) == [0, 2])
    #expect(state.open.map { $0.location.map { "\($0)" } } == [nil, "Some.swift:3"])
  }
}
