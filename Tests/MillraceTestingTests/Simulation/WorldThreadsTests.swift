import Foundation
import Millrace
import Testing

@testable import MillraceTesting

@Suite("Worlds side by side", .timeLimit(.minutes(2)))
struct WorldThreadsTests {
  private static let three = WorldThreads(3)

  /// Runs a world for each seed on three threads.
  private func run(
    _ seeds: Range<UInt64>, for time: Duration? = nil, on threads: WorldThreads = three,
    _ body: @escaping Simulation.Body
  ) async -> Simulation.Report {
    let origin = SimulationOrigin(file: "Workers.swift", line: 7)
    let search = Search(
      origin: origin, shrinkingAttempts: 10, time: time, isReporting: false, threads: threads, body: body)
    return await search(seeds.lazy.map { Simulation.Plan(seed: $0) })
  }

  @Test("As many worlds run at once as there are threads")
  func atOnce() async {
    let all = Arrivals()
    let report = await run(0..<3) { _ in all.arrive(andWaitFor: 3) }
    #expect(report.worlds == 3 && report.failures.isEmpty)
    let first = await run(0..<30, for: .zero) { _ in }
    #expect(first.worlds == 1, "without time one world runs")
  }

  @Test("The seed of the first failing world is reported, also if a later one has failed before")
  func least() async {
    let later = Arrivals()
    let report = await run(0..<40) { world in
      if world.seed == 2 { later.wait(for: 1) }
      world.expect(world.seed != 2 && world.seed != 4, "the seed is neither 2 nor 4")
      if world.seed == 4 { later.arrive() }
    }
    #expect(report.worlds == 3 && report.failures.map(\.plan.seed) == [2])
  }

  @Test("The same happens in each world as where one runs after the other")
  func sameWorlds() async {
    let body: Simulation.Body = { world in
      let store = Store(initial: 0, interactor: Loads(), configuration: world.configuration)
      for number in world.actions(5, { Int.random(in: 1..<9, using: &$0) }) { store.send(number) }
      await withTaskGroup { group in
        for _ in 0..<3 { group.addTask { await Task.yield() } }
      }
      world.note("\(Date()) \(Int.random(in: 0..<1_000)) \(await store.state)")
    }
    let (one, three) = (await run(0..<200, on: WorldThreads(1), body), await run(0..<200, body))
    #expect(one.failures.isEmpty && one.steps > 2_000)
    #expect(three.fingerprint == one.fingerprint && three.steps == one.steps && three.worlds == one.worlds)
  }

  @Test("A world that fails beside others and passes alone is told with the reason")
  func sharedState() async throws {
    let all = Arrivals()
    let report = await run(0..<2) { world in
      let number = all.arrive(andWaitFor: 2)
      world.expect(number > 2, "the world is the only one", file: "Workers.swift", line: 8)
    }
    let text = try #require(report.failures.first?.description)
    let expected = """
      Seed 0: this does not hold: the world is the only one.
      It happened after 1 step, at 0.0 seconds of the world's time, in world 1 of this simulation, by uniform choice.
      It failed while other worlds ran in the process (MILLRACE_WORKERS), and passed alone, so worlds share state, such as a global \
      or static variable, a file or a port; make it in the body of each world.
      To run it again: Simulation.run(seed: 0)
      """
    #expect(text.hasPrefix(expected), "\(text)")
  }

  @MainActor private static var worldsInside = 0

  @Test("Worlds that use the main actor take turns")
  func mainActor() async {
    let report = await run(0..<60) { world in
      await MainActor.run {
        world.expect(Self.worldsInside == 0, "no other world uses the main actor")
        Self.worldsInside += 1
      }
      for _ in 0..<200 { await Task.yield() }
      await MainActor.run { Self.worldsInside -= 1 }
    }
    #expect(report.worlds == 60, "\(report.failures)")
  }

  @Test("A task that another thread resumes fails its own world")
  func escape() async {
    let (blocked, resumed) = (Arrivals(), Arrivals())
    let waiting = Lock<[CheckedContinuation<Void, Never>]>([])
    Thread.detachNewThread {
      blocked.wait(for: 3)
      for continuation in waiting.withLock({ $0 }) { continuation.resume() }
      resumed.arrive()
    }
    let run = WorldRun(origin: SimulationOrigin(), threads: Self.three) { _ in
      // A step of its own, so that the body is suspended by then; it keeps its world until all three bodies are resumed.
      Task {
        blocked.arrive()
        resumed.wait(for: 1)
      }
      await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
    }
    let failures = await withTaskGroup { group in
      for seed in 0..<3 as Range<UInt64> { group.addTask { await run(Simulation.Plan(seed: seed)).failure?.kind } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(failures == [.threadEscaped, .threadEscaped, .threadEscaped])
  }
}

private struct Loads: Interactor {
  typealias Action = Int
  typealias Mutation = Int
  typealias State = Int

  func handle(_ action: Int, state: Int) -> Effect<Self> {
    Effect { run in
      try await run.clock.sleep(for: .milliseconds(action))
      run.emit(action)
    }
  }

  static func reduce(into state: inout Int, mutation: Int) { state = state * 3 + mutation }
}
