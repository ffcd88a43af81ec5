import Millrace
import Synchronization

/// Alarms that the state asks for, beside a table of tasks by hand.
let feedbackRows: [Row] = [
  Row(name: "reference/timers-by-hand") { size in
    let count = size.scaled(100_000)
    let timers = HandTimers()
    let store = Store(initial: Alarms.State(), interactor: Alarms())
    return await firing(count, store) { pending in timers.arm(pending, store) }
  },
  Row(name: "feedback/timers", reference: "reference/timers-by-hand", gate: .severalThreads) { size in
    let count = size.scaled(100_000)
    let store = Store(initial: Alarms.State(), interactor: Alarms(), feedbacks: [Alarms.feedback])
    return await firing(count, store) { _ in }
  },
  Row(name: "reference/publish-by-hand") { size in
    let timers = HandTimers()
    let store = Store(
      initial: Alarms.State(), interactor: Alarms(),
      feedbacks: [
        .run { access in for await pending in access.reader.values(of: \.pending) { timers.arm(pending) } }
      ])
    return await publishing(size, store)
  },
  Row(
    name: "feedback/publish-unchanged", reference: "reference/publish-by-hand", target: 1.5, gate: .severalThreads
  ) { size in
    let store = Store(
      initial: Alarms.State(), interactor: Alarms(),
      feedbacks: [
        .react(toEach: \.pending) { _, access in try? await access.clock.sleep(for: .seconds(3_600)) }
      ])
    return await publishing(size, store)
  },
]

/// The cost of a timer from the commit that asks for it until it has fired; all of them fire in the same half second.
private func firing(_ count: Int, _ store: Store<Alarms>, _ arm: (Set<Int>) -> Void) async -> Figure {
  let figure = await perItem(count) {
    let pending = Set(0..<count)
    store.send(.ask(pending))
    arm(pending)
    _ = try? await store.wait(until: { $0.pending.isEmpty })
  }
  await store.shutdown()
  return figure
}

/// The cost of a commit that changes none of 100,000 timers, and is published before the next one.
private func publishing(_ size: Size, _ store: Store<Alarms>) async -> Figure {
  store.send(.ask(Set(0..<100_000)))
  var values = store.values(of: \.ticks).makeAsyncIterator()
  _ = await values.next()
  let count = size.scaled(20_000)
  for _ in 0..<100 {
    store.send(.tick)
    _ = await values.next()
  }
  let figure = await perItem(count) {
    for _ in 0..<count {
      store.send(.tick)
      _ = await values.next()
    }
  }
  await store.shutdown()
  return figure
}

/// A store whose timers are pending.
struct Alarms: Interactor {
  struct State: Sendable {
    var pending: Set<Int> = []
    var ticks = 0
  }

  enum Mutation: Sendable {
    case ask(Set<Int>)
    case fired(Int)
    case tick
  }

  static var feedback: Feedback<State, Mutation> {
    .react(toEach: \.pending) { number, access in
      try? await access.clock.sleep(for: delay(of: number))
      access.send(.fired(number))
    }
  }

  /// Half a second at the most.
  static func delay(of number: Int) -> Duration { .microseconds(number &* 7_919 % 500_000) }

  func decide(_ action: Mutation, state: State) -> Decision<Mutation> { .mutate(action) }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .ask(let pending): state.pending = pending
    case .fired(let number): state.pending.remove(number)
    case .tick: state.ticks += 1
    }
  }
}

/// The tasks of pending timers by their numbers.
private final class HandTimers: Sendable {
  private let tasks = Mutex<[Int: Task<Void, Never>]>([:])

  /// Begins these timers, which send when they fire.
  func arm(_ numbers: Set<Int>, _ store: Store<Alarms>) {
    tasks.withLock { tasks in
      for number in numbers {
        tasks[number] = Task {
          try? await Task.sleep(for: Alarms.delay(of: number))
          self.tasks.withLock { $0[number] = nil }
          store.send(.fired(number))
        }
      }
    }
  }

  /// Begins the timers that are new, and ends all others.
  func arm(_ numbers: Set<Int>) {
    tasks.withLock { tasks in
      for (number, task) in tasks where !numbers.contains(number) {
        task.cancel()
        tasks[number] = nil
      }
      for number in numbers where tasks[number] == nil {
        tasks[number] = Task { try? await Task.sleep(for: .seconds(3_600)) }
      }
    }
  }
}
