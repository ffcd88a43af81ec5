import MillraceTesting
import Testing

@testable import Millrace

@Suite("PlanScaleTests", .serialized, .timeLimit(.minutes(5)))
struct PlanScaleTests {
  @Test(
    "R5: after 1,000,000 runs with as many keys, in every way of meeting and waiting, the store remembers nothing of them"
  )
  func nothingIsRemembered() async {
    let clock = TestClock()
    let store = Store(initial: 0, interactor: Keyed(), configuration: StoreConfiguration(clock: clock))
    let runs = scaled(1_000_000)
    var ended = [Outcome.Kind: Int]()
    for first in stride(from: 0, to: runs, by: 5_000) {
      let keys = first..<min(first + 5_000, runs)
      let batch = store.send(contentsOf: keys.map { Keyed.Action(number: $0) })
      await store.settle()
      clock.advance(by: .seconds(20))
      for outcome in await batch.outcomes { ended[outcome.kind, default: 0] += 1 }
    }
    #expect(ended.values.reduce(0, +) == runs)
    // What is due by now is done before this one passes, which came last.
    for _ in 0..<2 {
      let last = store.send(Keyed.Action(number: -1))
      await store.settle()
      clock.advance(by: .seconds(20))
      #expect(await last.outcome.kind == .finished)
    }
    let isEmpty = await store.onRuns { runs in
      guard let runs else { return false }
      let (named, planned) = (runs.scheduler.entries.count, runs.scheduler.plans.count)
      let (waiting, running) = (runs.scheduler.room.count, runs.scheduler.runs.count)
      return named == 0 && planned == 0 && runs.scheduler.keys.isEmpty && runs.scheduler.timers.isEmpty
        && waiting == 0 && runs.scheduler.ring.isEmpty && running == 0 && runs.scheduler.notReturned.isEmpty
    }
    #expect(isEmpty)
    #expect(await store.metrics.inFlight == 0)
    #expect(ended[.failed, default: 0] > 0)
    #expect(ended[.finished, default: 0] > runs / 2)
  }
}

/// Each action has a key of its own and a plan that depends on its number; one in five fails.
private struct Keyed: Interactor {
  struct Action: Sendable {
    let number: Int
  }

  func plan(for action: Action, state: Int) -> Plan {
    let key = action.number
    return switch key % 10 {
    case 0: .serial(key: key)
    case 1: .concurrent(max: 2, key: key).timeout(.seconds(1_000))
    case 2: .latest(key: key)
    case 3: .exclusive(key: key).attemptTimeout(.seconds(1_000))
    case 4: .shared(key: key)
    case 5: .latest(key: key).debounce(.seconds(10))
    case 6: .serial(key: key).throttle(.seconds(10))
    case 7: .serial(key: key).throttle(.seconds(10), leading: false)
    case 8: .serial(key: key).breaker(Plan.Breaker(failures: 2, within: .seconds(10), openFor: .seconds(5)))
    case 9: .serial(key: key).retry(2, backoff: .none, budget: Plan.RetryBudget(capacity: 1, refill: .seconds(10)))
    default: .latest(key: key).debounce(.seconds(20))
    }
  }

  func handle(_ action: Action, state: Int) async -> Effect<Self> {
    Effect { run in
      if action.number % 10 > 7 { throw Mishap() }
      run.emit(1)
    }
  }

  func closing(_ action: Action, outcome: Outcome) -> Int? { 1 }

  static func reduce(into state: inout Int, mutation: Int) {
    state += mutation
  }
}
