import Millrace
import Testing

@testable import MillraceTesting

@Suite("Simulation, what is left over when a world has ended")
struct LeftOverTests {
  /// An interactor whose handler waits at a gate that stays closed.
  private struct Waits: Interactor {
    enum Action: Sendable { case wait, hang }
    typealias Mutation = Never
    typealias State = Int

    let gate = Gate()
    /// The object that the handler holds until it returns.
    let held: Held

    func handle(_ action: Action, state: Int) -> Effect<Self> {
      Effect { _ in
        switch action {
        case .wait: try await gate.enter()
        case .hang: await gate.enterIgnoringCancellation()
        }
      }
    }

    static func reduce(into state: inout Int, mutation: Never) {}
  }

  /// Counts how many there are of it.
  private final class Held: Sendable {
    let count: Box<Int>

    init(_ count: Box<Int>) {
      self.count = count
      count.update { $0 += 1 }
    }

    deinit {
      count.update { $0 -= 1 }
    }
  }

  @Test("Handlers, bodies and sleepers that heed their cancellation end with their world, and free what they hold")
  func ended() async {
    let count = Box(0)
    let report = await Simulation.run(seeds: 0..<20) { world in
      let store = Store(
        initial: 0, interactor: Waits(held: Held(count)), configuration: world.configuration)
      store.send(.wait)
      let held = Held(count)
      for seconds in 1...3 {
        Task.detached {
          try await world.clock.sleep(for: .seconds(seconds))
          _ = held
        }
      }
      world.atTheEnd("it is there", of: store) { $0 == 0 }
    }
    #expect(report.failingPlan == nil)
    #expect(report.leftOverTasks == 0 && report.leftOvers == [])
    #expect(count.value == 0)
  }

  @Test("A body that fails is cancelled, with what it has begun")
  func failed() async {
    let (count, failures) = (Box(0), Failures())
    await failures.collect {
      let report = await Simulation.run(seed: 3) { world in
        let store = Store(
          initial: 0, interactor: Waits(held: Held(count)), configuration: world.configuration)
        let receipt = store.send(.wait)
        world.expect(false, "it holds")
        // No cancellation of this task ends this wait, but that of what it waits for does.
        _ = await receipt.outcome
        try await Gate().enter()
      }
      #expect(report.leftOverTasks == 0)
    }
    #expect(failures.messages.count == 1)
    #expect(count.value == 0)
  }

  @Test("Tasks that do not end although cancelled are counted and told")
  func leftOver() async {
    let count = Box(0)
    let report = await Simulation.run(seeds: 0..<12) { world in
      let store = Store(
        initial: 0, interactor: Waits(held: Held(count)), configuration: world.configuration)
      store.send(.hang)
      Task {
        while true { try? await world.clock.sleep(for: .seconds(1)) }
      }
    }
    #expect(report.failingPlan == nil && report.worlds == 12 && report.leftOverTasks == 24)
    #expect(report.leftOvers.count == 10)
    #expect(
      report.leftOvers.first
        == "2 tasks of seed 0 never ended although cancelled: the handler of Waits for hang, a task that sleeps again and again."
    )
  }

  @Test("A handler that hangs keeps what it holds, but not its store, and not its world")
  func worldsAreFreed() async {
    let (count, worlds) = (Box(0), Box<[Weak]>([]))
    let report = await Simulation.run(seeds: 0..<3) { world in
      let store = Store(
        initial: 0, interactor: Waits(held: Held(count)), configuration: world.configuration)
      store.send(.hang)
      worlds.update { $0 += [Weak(world), Weak(store)] }
    }
    #expect(report.leftOverTasks == 3)
    #expect(worlds.value.count == 6 && worlds.value.allSatisfy { $0.object == nil })
  }

  /// A weak reference to the object.
  private struct Weak: Sendable {
    weak let object: (any AnyObject & Sendable)?

    init(_ object: any AnyObject & Sendable) {
      self.object = object
    }
  }

  @Test("A body that hangs fails its seed, and the failure says that it was left over")
  func body() async {
    let failures = Failures()
    await failures.collect {
      _ = await Simulation.run(seed: 3) { world in
        world.expect(false, "it holds")
        await Gate().enterIgnoringCancellation()
      }
    }
    #expect(failures.messages.first?.contains("\nA task of seed 3 never ended although cancelled: the body.") == true)
  }

  @Test("Work that goes round in circles at the end is left over after a number of steps")
  func circles() async {
    let report = await Simulation.run(seed: 3) { world in
      Task {
        await world.clock.sleepOnce()
        while true { await Task.yield() }
      }
    }
    #expect(
      report.leftOvers == ["A task of seed 3 never ended although cancelled: a task that continues for ever."])
  }
}

extension TestClock {
  /// Sleeps for a second, or until the end of the world.
  fileprivate func sleepOnce() async {
    try? await sleep(for: .seconds(1))
  }
}
