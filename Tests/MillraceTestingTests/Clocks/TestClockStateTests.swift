import Testing

@testable import MillraceTesting

/// Tables of events and actions; a waiter is a word here, and has its id behind it.
@Suite("TestClockState")
struct TestClockStateTests {
  enum Event {
    case sleep(String, Int, until: Int)
    case sleepCancelled(String, Int, until: Int)
    case watch(String, Int, count: Int)
    case watchCancelled(String, Int, count: Int)
    case cancel(Int)
    case advance(to: Int)
    case move(String, Int, limit: Int, isOver: Bool = false)
    case release(Int)
    case run
  }

  /// An event, the action it has to return, and the sleepers that have to be left.
  struct Step {
    var event: Event
    var action: WakeAction<String>
    var sleepers: Int

    init(_ event: Event, _ action: WakeAction<String>, _ sleepers: Int) {
      self.event = event
      self.action = action
      self.sleepers = sleepers
    }
  }

  private func check(_ steps: [Step]) {
    var state = TestClockState<String>()
    for (index, step) in steps.enumerated() {
      #expect(apply(step.event, to: &state) == step.action, "step \(index): \(step.event)")
      #expect(state.sleeperCount == step.sleepers, "step \(index): \(step.event)")
    }
  }

  private func apply(_ event: Event, to state: inout TestClockState<String>) -> WakeAction<String> {
    switch event {
    case .sleep(let waiter, let id, let deadline):
      state.sleep(waiter, id: id, until: .init(offset: .seconds(deadline)), isCancelled: false)
    case .sleepCancelled(let waiter, let id, let deadline):
      state.sleep(waiter, id: id, until: .init(offset: .seconds(deadline)), isCancelled: true)
    case .watch(let waiter, let id, let count):
      state.watch(waiter, id: id, count: count, isCancelled: false)
    case .watchCancelled(let waiter, let id, let count):
      state.watch(waiter, id: id, count: count, isCancelled: true)
    case .cancel(let id):
      state.cancel(id)
    case .advance(let second):
      state.advance(to: .init(offset: .seconds(second)))
    case .move(let waiter, let id, let limit, let isOver):
      state.move(waiter, id: id, limit: .init(offset: .seconds(limit)), isCancelled: false, isOver: isOver)
    case .release(let id):
      state.release(id)
    case .run:
      state.run()
    }
  }

  @Test("Sleepers are woken by deadline, and equal deadlines in the order of registration, not of their ids")
  func sleepersAreWokenByDeadlineThenRegistration() {
    check([
      Step(.sleep("c", 1, until: 3), .none, 1),
      Step(.sleep("a", 4, until: 1), .none, 2),
      Step(.sleep("b1", 3, until: 2), .none, 3),
      Step(.sleep("b2", 2, until: 2), .none, 4),
      Step(.advance(to: 3), .wake(["a", "b1", "b2", "c"]), 0),
    ])
  }

  @Test("Many sleepers of one deadline are woken in the order of registration")
  func manySleepersOfOneDeadline() {
    let names = (1...20).map { "sleeper \($0)" }
    let asleep = names.enumerated().map { Step(.sleep($1, 99 - $0, until: 1), .none, $0 + 1) }
    check(asleep + [Step(.advance(to: 1), .wake(names), 0)])
  }

  @Test("Only those whose deadline is reached are woken")
  func onlyThoseThatAreDueAreWoken() {
    check([
      Step(.sleep("a", 1, until: 1), .none, 1),
      Step(.sleep("b", 2, until: 2), .none, 2),
      Step(.advance(to: 1), .wake(["a"]), 1),
      Step(.advance(to: 1), .none, 1),
      Step(.advance(to: 2), .wake(["b"]), 0),
    ])
  }

  @Test("The time never goes back, and a deadline that is reached does not sleep")
  func theTimeNeverGoesBack() {
    check([
      Step(.sleep("now", 1, until: 0), .wake(["now"]), 0),
      Step(.advance(to: 5), .none, 0),
      Step(.advance(to: 2), .none, 0),
      Step(.sleep("past", 2, until: 4), .wake(["past"]), 0),
      Step(.sleep("reached", 3, until: 5), .wake(["reached"]), 0),
      Step(.sleep("ahead", 4, until: 6), .none, 1),
    ])
  }

  @Test("Run goes to the latest deadline and wakes all; without a sleeper it does not move the time")
  func runGoesToTheLatestDeadline() {
    check([
      Step(.run, .none, 0),
      Step(.sleep("b", 1, until: 7), .none, 1),
      Step(.sleep("a", 2, until: 4), .none, 2),
      Step(.run, .wake(["a", "b"]), 0),
      Step(.sleep("reached", 3, until: 7), .wake(["reached"]), 0),
      Step(.sleep("ahead", 4, until: 8), .none, 1),
    ])
  }

  @Test("A cancelled sleeper is told so and gone; a cancellation that comes too late does nothing")
  func aCancelledSleeperIsGone() {
    check([
      Step(.sleep("a", 1, until: 1), .none, 1),
      Step(.sleep("b", 2, until: 1), .none, 2),
      Step(.cancel(1), .cancel("a"), 1),
      Step(.cancel(1), .none, 1),
      Step(.advance(to: 1), .wake(["b"]), 0),
      Step(.cancel(2), .none, 0),
    ])
  }

  @Test("A sleep or a wait cancelled before it registers is never registered")
  func cancelledBeforeRegistering() {
    check([
      Step(.cancel(1), .none, 0),
      Step(.sleepCancelled("a", 1, until: 1), .cancel("a"), 0),
      Step(.sleepCancelled("past", 2, until: 0), .cancel("past"), 0),
      Step(.watchCancelled("w", 3, count: 0), .cancel("w"), 0),
      Step(.sleep("b", 4, until: 1), .none, 1),
    ])
  }

  @Test("A wait for a number of sleepers ends with the registration that reaches it")
  func watchersGoOnWithTheRegistration() {
    check([
      Step(.watch("none", 1, count: 0), .wake(["none"]), 0),
      Step(.watch("two", 2, count: 2), .none, 0),
      Step(.watch("one", 3, count: 1), .none, 0),
      Step(.watch("two more", 4, count: 2), .none, 0),
      Step(.watch("gone", 5, count: 2), .none, 0),
      Step(.cancel(5), .cancel("gone"), 0),
      Step(.sleep("a", 6, until: 1), .wake(["one"]), 1),
      Step(.sleep("b", 7, until: 1), .wake(["two", "two more"]), 2),
      Step(.watch("at once", 8, count: 2), .wake(["at once"]), 2),
    ])
  }

  @Test("Woken and cancelled sleepers do not count in a wait for a number of them")
  func onlyRegisteredSleepersCount() {
    check([
      Step(.sleep("a", 1, until: 1), .none, 1),
      Step(.advance(to: 1), .wake(["a"]), 0),
      Step(.sleep("b", 2, until: 2), .none, 1),
      Step(.cancel(2), .cancel("b"), 0),
      Step(.watch("one", 3, count: 1), .none, 0),
      Step(.sleep("c", 4, until: 3), .wake(["one"]), 1),
    ])
  }

  @Test(
    "A task that moves the time to a deadline continues after those it wakes, now or when a task sleeps within the limit"
  )
  func moves() {
    check([
      Step(.sleep("far", 1, until: 9), .none, 1),
      Step(.sleep("near", 2, until: 3), .none, 2),
      Step(.move("mover", 3, limit: 3), .wake(["near", "mover"]), 1),
      Step(.move("first", 4, limit: 5), .none, 1),
      Step(.move("second", 5, limit: 6), .none, 1),
      Step(.watch("two", 6, count: 2), .none, 1),
      Step(.sleep("beyond", 7, until: 7), .wake(["two"]), 2),
      Step(.sleep("later", 8, until: 6), .wake(["later", "second"]), 2),
      Step(.sleep("within", 9, until: 5), .wake(["within"]), 2),
      Step(.cancel(4), .cancel("first"), 2),
    ])
  }

  @Test(
    "A task that is released, or has no wish any more, continues without a move; a cancelled one does not move later")
  func releases() {
    check([
      Step(.release(1), .none, 0),
      Step(.move("released", 2, limit: 5), .none, 0),
      Step(.release(2), .wake(["released"]), 0),
      Step(.release(2), .none, 0),
      Step(.sleep("sleeper", 3, until: 4), .none, 1),
      Step(.move("over", 4, limit: 5, isOver: true), .wake(["over"]), 1),
      Step(.run, .wake(["sleeper"]), 0),
    ])
  }

  @Test("Each id is a new one")
  func idsAreNew() {
    var state = TestClockState<String>()
    #expect((0..<3).map { _ in state.makeID() } == [1, 2, 3])
  }

  @Test("Deadlines are listed in the order in which they are woken, one for each sleeper")
  func deadlinesAreListedInOrder() {
    var state = TestClockState<String>()
    for (id, deadline) in [3, 1, 2, 1].enumerated() {
      _ = state.sleep("\(id)", id: id, until: .init(offset: .seconds(deadline)), isCancelled: false)
    }
    #expect(state.deadlines.map(\.offset) == [.seconds(1), .seconds(1), .seconds(2), .seconds(3)])
    _ = state.advance(to: .init(offset: .seconds(1)))
    #expect(state.deadlines.map(\.offset) == [.seconds(2), .seconds(3)])
  }

  @Test("Sleepers are named in the order in which they would be woken")
  func sleeperIDs() {
    var state = TestClockState<String>()
    for (id, seconds) in [(1, 9), (2, 2), (3, 1), (4, 2)] {
      _ = state.sleep("", id: id, until: .init(offset: .seconds(seconds)), isCancelled: false)
    }
    #expect(state.sleeperIDs == [3, 2, 4, 1])
  }
}
