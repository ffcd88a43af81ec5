import Foundation
import Millrace
import MillraceDispatchChecks
import Testing

@testable import MillraceTesting

@Suite("Simulation, what gets out of a world", .timeLimit(.minutes(2)))
struct EscapeTests {
  /// Calls what it was given, and shows what that gives.
  private struct Calls: Interactor {
    enum Action: Sendable { case call(Int), set(Int) }
    typealias Mutation = Int
    typealias State = Int

    let gateway: @Sendable (Int) async -> Int

    func decide(_ action: Action, state: Int) -> Decision<Int> {
      switch action {
      case .call: .handle
      case .set(let number): .mutate(number)
      }
    }

    func handle(_ action: Action, state: Int) -> Effect<Self> {
      Effect { run in
        if case .call(let number) = action { run.emit(await gateway(number)) }
      }
    }

    static func reduce(into state: inout Int, mutation: Int) {
      state = mutation
    }
  }

  /// The failure of a simulation of this body.
  ///
  /// It waits for other threads longer than a simulation does, for they may wait for a processor.
  private func sentence(
    allowing allowed: Simulation.Outside = .threads, _ body: @escaping Simulation.Body
  ) async throws -> String {
    let run = WorldRun(origin: SimulationOrigin(maximumSteps: 100_000, allowed: allowed), body: body)
    let result = await run(Simulation.Plan(seed: 7), patience: 60)
    return try #require(result.failure).sentence + "."
  }

  /// Suspends until a thread of its own has resumed it, which it does when `isSuspended` is signalled.
  private static func resumeElsewhere(when isSuspended: DispatchSemaphore) async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        isSuspended.wait()
        continuation.resume()
      }
    }
  }

  @Test("A sleep with a tolerance on a clock of the system is named, with the task that sleeps")
  func sleep() async throws {
    let fix =
      "which another thread wakes when no seed decides; sleep without a tolerance, or give what sleeps the world's clock."
    let nameless = try await sentence { _ in try await Task.sleep(for: .milliseconds(1), tolerance: .zero) }
    #expect(nameless == "task 1 of the world sleeps with a tolerance on a clock of the system, \(fix)")
    let named = try await sentence { _ in
      try await Task(name: "loader") {
        try await ContinuousClock().sleep(until: .now + .milliseconds(1), tolerance: .seconds(1))
      }.value
    }
    #expect(named == "task 2 of the world (loader) sleeps with a tolerance on a clock of the system, \(fix)")
  }

  @Test("A thread that user code starts is named, with the task that starts it")
  func newThread() async throws {
    let sentence = try await sentence(allowing: .queues) { _ in
      await Task(name: "loader") { Thread.detachNewThread {} }.value
    }
    #expect(
      sentence == """
        task 2 of the world (loader) gave work to a thread (pthread_create), which no seed decides; put a fake in the place of what \
        works there, or allow it by 'Simulation.Options(allowing:)' where it has no effect on the world.
        """)
  }

  @Test(
    "Each way to give work to a queue is named",
    arguments: ["async", "after", "barrier_async", "apply", "group_async", "source_create"])
  func queue(function: String) async throws {
    let queue = DispatchQueue(label: "a queue of the test")
    let sentence = try await sentence(allowing: .threads) { _ in
      switch function {
      case "async": queue.async {}
      case "after": queue.asyncAfter(deadline: .now()) {}
      case "barrier_async": queue.async(flags: .barrier) {}
      case "apply": DispatchQueue.concurrentPerform(iterations: 2) { _ in }
      case "group_async": queue.async(group: DispatchGroup()) {}
      default: DispatchSource.makeTimerSource(queue: queue).activate()
      }
    }
    #expect(
      sentence == """
        task 1 of the world gave work to a dispatch queue (dispatch_\(function)), which no seed decides; put a fake in the place of what \
        works there, or allow it by 'Simulation.Options(allowing:)' where it has no effect on the world.
        """)
  }

  private static let functionsForC = [
    "dispatch_async_f", "dispatch_after_f", "dispatch_barrier_async_f", "dispatch_apply_f", "dispatch_group_async_f",
    "dispatch_group_notify_f",
  ]

  @Test("Each way in which C code gives work to a queue by a function is named", arguments: functionsForC)
  func queueOfC(function: String) async throws {
    let sentence = try await sentence(allowing: .threads) { world in
      world.expect(millrace_give_work(function), "the function is known")
    }
    #expect(
      sentence == """
        task 1 of the world gave work to a dispatch queue (\(function)), which no seed decides; put a fake in the place of what \
        works there, or allow it by 'Simulation.Options(allowing:)' where it has no effect on the world.
        """)
    let report = await Simulation.run(seed: 1, options: .init(allowing: .queues)) { _ in
      _ = millrace_give_work(function)
    }
    #expect(report.failingPlan == nil)
    #expect(millrace_give_work(function), "outside of worlds it works as ever")
  }

  @Test("Work that is allowed fails no seed, and a call that says how to run the world again allows it too")
  func allowed() async throws {
    let queue = DispatchQueue(label: "a queue of the test")
    let report = await Simulation.run(seeds: 0..<3, options: .init(allowing: [.threads, .queues])) { _ in
      queue.async {}
      Thread.detachNewThread {}
    }
    #expect(report.failingPlan == nil)
    let call = SimulationOrigin(allowed: [.threads, .queues]).call(Simulation.Plan(seed: 3))
    #expect(call == "Simulation.run(seed: 3, options: .init(allowing: [.threads, .queues]))")
    let one = SimulationOrigin(allowed: .queues).call(Simulation.Plan(seed: 3))
    #expect(one == "Simulation.run(seed: 3, options: .init(allowing: .queues))")
  }

  @Test("A task that another thread resumes is named")
  func thread() async throws {
    let sentence = try await sentence { _ in
      let isSuspended = DispatchSemaphore(value: 0)
      // It runs when the body has suspended; a task that is resumed before then continues on its thread.
      Task { isSuspended.signal() }
      await Self.resumeElsewhere(when: isSuspended)
    }
    #expect(
      sentence == """
        task 1 of the world was resumed by another thread (a thread, a dispatch queue, a socket, a file), which no seed decides; \
        put a fake in the place of what works there.
        """)
  }

  @Test("A handler that another thread resumes is named, with its action, though it was begun at once")
  func handler() async throws {
    let sentence = try await sentence { world in
      let isSuspended = DispatchSemaphore(value: 0)
      let calls = Calls { number in
        await Self.resumeElsewhere(when: isSuspended)
        return number
      }
      let store = Store(initial: 0, interactor: calls, configuration: world.configuration)
      let receipt = store.send(.call(3))
      isSuspended.signal()
      _ = await receipt.outcome
    }
    #expect(
      sentence == """
        the handler of Calls for call(3) (task 2 of the world) was resumed by another thread (a thread, a dispatch queue, a \
        socket, a file), which no seed decides; put a fake in the place of what works there.
        """)
  }

  @Test("A commit on another thread is named, with its store")
  func commit() async throws {
    let sentence = try await sentence { world in
      let store = Store(initial: 0, interactor: Calls { $0 }, configuration: world.configuration)
      Thread.detachNewThread { store.send(.set(1)) }
      try await Gate().enter()
    }
    #expect(
      sentence == """
        the store of Calls was changed on another thread (a thread, a dispatch queue, a task from outside of the world), which no \
        seed decides; send from tasks of the world, and put a fake in the place of what works there.
        """)
  }

  @Test(
    "A choice on another thread is named",
    arguments: ["actions", "fault", "duration", "element", "faults", "note"])
  func choice(name: String) async throws {
    let sentence = try await sentence { world in
      Thread.detachNewThread {
        switch name {
        case "actions": _ = world.actions(1, from: [1])
        case "fault": _ = world.fault(0.5)
        case "duration": _ = world.duration(in: .zero ... .seconds(1))
        case "element": _ = world.element(of: [1])
        case "faults": _ = world.part()
        default: world.note("here")
        }
      }
      try await Gate().enter()
    }
    #expect(
      sentence
        == "the world's '\(name)' was called on another thread, where no seed decides when; call it in tasks of the world."
    )
  }

  @Test("Expectations may fail on any thread, on many at once too")
  func expectations() async throws {
    let sentence = try await sentence { world in
      for _ in 0..<8 {
        Thread.detachNewThread { world.expect(false, "nothing is wrong") }
      }
      try await Gate().enter()
    }
    #expect(sentence == "this does not hold: nothing is wrong.")
  }

  @Test("A main thread that never comes to the world's work is named, and the work is done later, outside")
  func mainThread() async throws {
    let (isBlocked, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let places = Recorder<Bool>()
    DispatchQueue.main.async {
      isBlocked.signal()
      mayGoOn.wait()
    }
    let run = WorldRun(origin: SimulationOrigin(maximumSteps: 100)) { _ in
      isBlocked.wait()
      await MainActor.run { places.record(WorldRuntime.isOwnedByThisThread) }
    }
    let result = await run(Simulation.Plan(seed: 7), patience: 0.01)
    #expect(
      result.failure?.sentence == """
        task 1 of the world waits for the main actor, which has other work and does not come to it; let nothing block the main \
        thread, and wait for the simulation with await
        """)
    mayGoOn.signal()
    #expect(try await places.next() == false)
  }

  @Test("A body that nothing can resume stands still, and is not waited for, for it has given no work away")
  func standsStill() async {
    let run = WorldRun(origin: SimulationOrigin()) { _ in try await Gate().enter() }
    let result = await run(Simulation.Plan(seed: 7), patience: 1_000_000)
    #expect(result.failure?.kind == .standsStill)
  }

  @Test("A world that has resumed a task outside may get something back from it, which is waited for")
  func outsider() async throws {
    let (request, suspended, reply) = (Gate(), Gate(), Gate())
    let outside = Task {
      try await request.enter()
      try await suspended.enter()
      reply.open()
    }
    try await request.waitForArrivals()
    let sentence = try await sentence { _ in
      request.open()
      // It runs when the body has suspended.
      Task { suspended.open() }
      try await reply.enter()
    }
    #expect(sentence.hasPrefix("task 1 of the world was resumed by another thread"))
    try await outside.value
  }

  // MARK: What is not the world's

  @Test("A task that is older than the world, and is woken in it, continues outside")
  func older() async throws {
    let gate = Gate()
    let waiting = Task {
      try await gate.enter()
      return WorldRuntime.isOwnedByThisThread
    }
    try await gate.waitForArrivals()
    let report = await Simulation.run(seed: 1) { world in
      gate.open()
      await Task.yield()
      world.expect(WorldRuntime.isOwnedByThisThread, "the body stays in its world")
    }
    #expect(report.failingPlan == nil)
    #expect(try await waiting.value == false)
  }

  @Test("A task that was made outside while the world ran, and is woken in it, continues outside")
  func younger() async throws {
    let gate = Gate()
    let places = Recorder<Bool>()
    let report = await Simulation.run(seed: 1, options: .init(allowing: .threads)) { world in
      let isWaiting = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        Task {
          try await gate.enter()
          places.record(WorldRuntime.isOwnedByThisThread)
        }
        Task {
          try await gate.waitForArrivals()
          isWaiting.signal()
        }
      }
      isWaiting.wait()
      gate.open()
    }
    #expect(report.failingPlan == nil)
    #expect(try await places.next() == false)
  }

  @Test("Main-actor work of a world is done in the main queue's turn, and what it begins is of the world")
  @MainActor
  func mainActor() async {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
    let report = await Simulation.run(seeds: 0..<5) { world in
      let task = await MainActor.run {
        MainActor.assertIsolated()
        world.expect(DispatchQueue.getSpecific(key: key) == true, "it is the main queue's turn")
        return Task.detached { WorldRuntime.isOwnedByThisThread }
      }
      world.expect(await task.value, "what is begun there is of the world")
      world.expect(WorldRuntime.isOwnedByThisThread, "the body goes on in its world")
    }
    #expect(report.failingPlan == nil)
  }
}
