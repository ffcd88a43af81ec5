import Testing

@testable import MillraceTesting

/// Tables of events and actions; a waiter is a word here.
@Suite("GateState")
struct GateStateTests {
  enum Event {
    case enter(String, Int)
    case enterCancelled(String, Int)
    case watch(String, Int, count: Int)
    case watchCancelled(String, Int, count: Int)
    case cancel(Int)
    case open
  }

  /// An event, the action it has to return, and the waiters that have to be left.
  struct Step {
    var event: Event
    var action: WakeAction<String>
    var waiting: Int

    init(_ event: Event, _ action: WakeAction<String>, _ waiting: Int) {
      self.event = event
      self.action = action
      self.waiting = waiting
    }
  }

  private func check(_ steps: [Step]) {
    var state = GateState<String>()
    for (index, step) in steps.enumerated() {
      #expect(apply(step.event, to: &state) == step.action, "step \(index): \(step.event)")
      #expect(state.waitingCount == step.waiting, "step \(index): \(step.event)")
    }
  }

  private func apply(_ event: Event, to state: inout GateState<String>) -> WakeAction<String> {
    switch event {
    case .enter(let waiter, let id): state.enter(waiter, id: id, isCancelled: false)
    case .enterCancelled(let waiter, let id): state.enter(waiter, id: id, isCancelled: true)
    case .watch(let waiter, let id, let count): state.watch(waiter, id: id, count: count, isCancelled: false)
    case .watchCancelled(let waiter, let id, let count): state.watch(waiter, id: id, count: count, isCancelled: true)
    case .cancel(let id): state.cancel(id)
    case .open: state.open()
    }
  }

  @Test("A task that enters a closed gate waits until it opens, and all continue in the order in which they came")
  func allGoOnInOrder() {
    check([
      Step(.enter("a", 3), .none, 1),
      Step(.enter("b", 1), .none, 2),
      Step(.enter("c", 2), .none, 3),
      Step(.open, .wake(["a", "b", "c"]), 0),
    ])
  }

  @Test("An open gate is passed at once, and opening it again does nothing")
  func anOpenGateIsPassed() {
    check([
      Step(.open, .none, 0),
      Step(.enter("a", 1), .wake(["a"]), 0),
      Step(.open, .none, 0),
      Step(.enter("b", 2), .wake(["b"]), 0),
      Step(.enterCancelled("c", 3), .cancel("c"), 0),
    ])
  }

  @Test("A cancelled task leaves the gate; a cancellation that comes too late does nothing")
  func whoIsCancelledLeaves() {
    check([
      Step(.enter("a", 1), .none, 1),
      Step(.enter("b", 2), .none, 2),
      Step(.cancel(1), .cancel("a"), 1),
      Step(.cancel(1), .none, 1),
      Step(.enterCancelled("c", 3), .cancel("c"), 1),
      Step(.open, .wake(["b"]), 0),
      Step(.cancel(2), .none, 0),
    ])
  }

  @Test(
    "A wait for a number of arrivals ends with that arrival, before the task that arrived at an open gate continues")
  func watchersGoOnWithTheArrival() {
    check([
      Step(.watch("none", 1, count: 0), .wake(["none"]), 0),
      Step(.watch("two", 2, count: 2), .none, 0),
      Step(.watch("one", 3, count: 1), .none, 0),
      Step(.watch("gone", 4, count: 1), .none, 0),
      Step(.cancel(4), .cancel("gone"), 0),
      Step(.watchCancelled("late", 5, count: 0), .cancel("late"), 0),
      Step(.enter("a", 6), .wake(["one"]), 1),
      Step(.open, .wake(["a"]), 0),
      Step(.enter("b", 7), .wake(["two", "b"]), 0),
      Step(.watch("at once", 8, count: 2), .wake(["at once"]), 0),
    ])
  }

  @Test("An arrival that was cancelled counts as one")
  func aCancelledArrivalCounts() {
    check([
      Step(.watch("two", 1, count: 2), .none, 0),
      Step(.enter("a", 2), .none, 1),
      Step(.cancel(2), .cancel("a"), 0),
      Step(.enterCancelled("b", 3), WakeAction(woken: ["two"], cancelled: "b"), 0),
    ])
  }
}
