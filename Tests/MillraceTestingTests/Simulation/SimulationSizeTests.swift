import Foundation
import Millrace
import Synchronization
import Testing

@testable import MillraceTesting

@Suite("Simulation, how much is run")
struct SimulationSizeTests {
  private static let place = SimulationOrigin(file: "Size.swift", line: 7)

  private func environment(_ variables: [String: String]) throws -> SimulationEnvironment {
    try SimulationEnvironment(variables)
  }

  @Test("The environment replaces seeds and time, and adds a base to the seeds")
  func environmentSize() throws {
    let none = try environment(["MILLRACE_SEEDS": "", "OTHER": "1"])
    #expect(none.size(3..<5, for: .seconds(1)) == (3..<5, .seconds(1)))
    #expect(none.sentence(none.size(3..<5, for: nil), at: "Size.swift:7") == nil)

    let workers = try environment(["MILLRACE_WORKERS": "4"])
    #expect(workers.workers == 4 && none.workers == nil)
    #expect(workers.sentence(workers.size(3..<5, for: nil), at: "Size.swift:7") == nil)

    let seeds = try environment(["MILLRACE_SEEDS": "10..<20"])
    #expect(seeds.size(3..<5, for: nil) == (10..<20, nil))
    let time = try environment(["MILLRACE_SECONDS": "0.5"])
    #expect(time.size(3..<5, for: .seconds(9)) == (3..<UInt64.max, .seconds(0.5)))
    #expect(time.size(3..<3, for: nil).seeds.isEmpty)
    let base = try environment(["MILLRACE_BASE_SEED": "100", "MILLRACE_SECONDS": "600"])
    let size = base.size(3..<5, for: nil)
    #expect(size == (103..<UInt64.max, .seconds(600)))
    #expect(
      base.sentence(size, at: "Size.swift:7")
        == "the simulation at Size.swift:7 runs the seeds from 103 on for 600.0 seconds, as the environment says."
    )
    #expect(
      seeds.sentence((10..<20, nil), at: "Size.swift:7")
        == "the simulation at Size.swift:7 runs the seeds 10..<20, as the environment says.")
  }

  @Test(
    "A value in the environment that cannot be read is told with an example",
    arguments: [
      ("MILLRACE_SEEDS", "10000", "0..<100000"), ("MILLRACE_SEEDS", "5..<5", "0..<100000"),
      ("MILLRACE_SEEDS", "a..<b", "0..<100000"), ("MILLRACE_SECONDS", "-1", "600"), ("MILLRACE_SECONDS", "inf", "600"),
      ("MILLRACE_SECONDS", "1e300", "600"),
      ("MILLRACE_BASE_SEED", "today", "20270131"), ("MILLRACE_WORKERS", "0", "4"), ("MILLRACE_WORKERS", "all", "4"),
    ])
  func invalid(name: String, value: String, example: String) {
    let error = #expect(throws: SimulationEnvironment.InvalidVariable.self) {
      try SimulationEnvironment([name: value])
    }
    #expect(
      error?.description
        == "\(name) is '\(value)' in the environment; set it to a value such as \(example), or unset it.")
  }

  @Test("A simulation without time runs one world, and one with time all")
  func time() async {
    let none = await Simulation.run(seeds: 0..<1_000, for: .zero) { _ in }
    #expect(none.worlds == 1 && none.failures.isEmpty)
    let enough = await Simulation.run(seeds: 0..<20, for: .seconds(3_600)) { _ in }
    #expect(enough.worlds == 20)
  }

  @Test("Without reports a simulation returns its failures as values, with their whole text")
  func values() async throws {
    let report = await Simulation.run(seeds: 0..<10, options: .init(reporting: false), file: "Size.swift", line: 7) {
      world in
      world.expect(world.seed < 4, "the seed is small", file: "Size.swift", line: 8)
    }
    let failure = try #require(report.failures.first)
    #expect(report.failures.count == 1 && report.worlds == 5)
    #expect(failure.sentence == "this does not hold: the seed is small" && failure.plan.seed == 4)
    #expect(failure.description.hasPrefix("Seed 4: this does not hold: the seed is small.\nIt happened after"))
    #expect(report.failingPlan == failure.plan)
  }

  @Test("One seed, one plan and an exhaustive search obey the options, too")
  func options() async {
    let options = Simulation.Options(reporting: false, maximumSteps: 50, shrinkingAttempts: 0)
    let body: Simulation.Body = { world in
      for _ in 0..<100 { try await world.clock.sleep(for: .seconds(1)) }
    }
    let reports = [
      await Simulation.run(seed: 4, options: options, body),
      await Simulation.run(plan: "4 actions none draws none steps none", options: options, body),
      await Simulation.explore(preemptions: 0, options: options, body),
    ]
    for report in reports {
      #expect(report.worlds == 1 && report.failures.count == 1)
      #expect(report.failures.first?.sentence.contains("within 50 steps") == true)
    }
    #expect(reports[0].failures[0].description.contains("Simulation.run(seed: 4, options: .init(maximumSteps: 50))"))
  }

  @Test("All distinct failures are found on request, each once, by the rule that is broken")
  func distinct() async {
    let body: Simulation.Body = { world in
      world.expect(world.seed % 3 != 1, "the seed is not 1, 4, 7 …", file: "Size.swift", line: 8)
      world.expect(world.seed % 3 != 2, "the seed is not 2, 5, 8 …", file: "Size.swift", line: 9)
    }
    let all = await Simulation.run(seeds: 0..<30, options: .init(failures: .distinct, reporting: false), body)
    #expect(all.worlds == 30 && all.failures.map(\.plan.seed) == [1, 2])
    #expect(
      all.failures.map(\.sentence) == [
        "this does not hold: the seed is not 1, 4, 7 …", "this does not hold: the seed is not 2, 5, 8 …",
      ])
    let first = await Simulation.run(seeds: 0..<30, options: .init(reporting: false), body)
    #expect(first.worlds == 2 && first.failures.count == 1)
  }

  @Test("A plan that failed is kept in a folder, and is run first until it passes and its file is removed")
  func plans() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("millrace-plans-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let isMended = Mutex(false)
    func simulate(_ seeds: Range<UInt64>) async -> Simulation.Report {
      await Simulation.run(seeds: seeds, options: .init(reporting: false, plans: folder.path)) { world in
        let actions = world.actions(6) { Int.random(in: 0..<100, using: &$0) }
        world.expect(isMended.withLock { $0 } || world.seed < 4 || actions.isEmpty, "there is no action")
      }
    }
    let found = try #require(await simulate(0..<10).failures.first)
    let file = folder.appendingPathComponent("seed-4.plan")
    let sentence = "It is kept in \(file.path), and is run first from now on; commit the file with the fix."
    #expect(found.description.contains(sentence))
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text == "\(found.plan)\nthis does not hold: there is no action\n")

    let again = await simulate(0..<1)
    #expect(again.worlds == 1 && again.failures.map(\.plan) == [found.plan])
    #expect(!again.failures[0].description.contains("It is kept"))
    isMended.withLock { $0 = true }
    #expect(await simulate(0..<3).worlds == 4)

    try "no plan".write(to: file, atomically: true, encoding: .utf8)
    let failures = Recorder<String>()
    await FailureReporter.$collector.withValue(FailureCollector { failures.record($0.message) }) {
      _ = await simulate(0..<3)
    }
    #expect(
      failures.recorded == [
        "\(file.path) begins with 'no plan', which is no plan of a simulation; begin it with the plan of a failure, or remove it."
      ])
  }

  @Test("A kept plan of an earlier version is refused with a sentence")
  func earlierPlans() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("millrace-plans-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appendingPathComponent("seed-4.plan")
    try "4 actions 1 draws 0=3 steps none\nit failed\n".write(to: file, atomically: true, encoding: .utf8)
    let error = #expect(throws: KeptPlans.InvalidPlan.self) { try KeptPlans(folder.path, besides: "").all() }
    #expect(
      error?.description == """
        \(file.path) begins with '4 actions 1 draws 0=3 steps none', which is a plan of an earlier version of Millrace; begin it with \
        the plan of a failure, or remove it.
        """)
  }

  @Test("A folder that cannot be written is told, and the failure with it")
  func folder() async throws {
    let report = await Simulation.run(seeds: 0..<1, options: .init(reporting: false, plans: "/dev/null/plans")) {
      world in
      world.expect(false, "nothing holds")
    }
    let text = try #require(report.failures.first?.description)
    let sentence = "It cannot be kept in /dev/null/plans/seed-0.plan; give 'plans:' a folder that can be written."
    #expect(text.contains(sentence))
  }

  @Test("Another plan of a seed is kept beside the earlier one, and a folder that cannot be read is told")
  func otherPlans() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("millrace-plans-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let kept = KeptPlans(folder.path, besides: "")
    let plans = ["4 actions 1 draws none steps none", "4 actions 2 draws none steps none"].compactMap {
      Simulation.Plan($0)
    }
    for plan in plans { #expect(kept.keep(plan, "it fails").hasPrefix("It is kept in ")) }
    #expect(Set(try kept.all()) == Set(plans) && plans.count == 2)
    let error = #expect(throws: KeptPlans.InvalidPlan.self) { try KeptPlans("/dev/null", besides: "").all() }
    #expect(error?.description == "The plans in /dev/null cannot be read; give 'plans:' a folder that can be.")
  }

  // MARK: The trait

  private static let worlds = Mutex<[UInt64]>([])

  @Test("A test with the trait runs in a world for each seed", .simulated(seeds: 3..<6))
  func trait() async throws {
    let world = try #require(World.current)
    try await Task.sleep(for: .seconds(60))
    #expect(world.clock.now.offset == .seconds(60) && WorldRuntime.isOwnedByThisThread)
    Self.worlds.withLock { $0.append(world.seed) }
    if world.seed == 5 { #expect(Self.worlds.withLock { $0 } == [3, 4, 5]) }
  }

  @Test("Each case of a test with the trait runs in worlds of its own", .simulated(seeds: 0..<2), arguments: [1, 2])
  func cases(number: Int) async throws {
    let world = try #require(World.current)
    #expect(world.seed < 2 && (1...2).contains(number))
  }

  @Test("Outside of such a test there is no current world")
  func noWorld() {
    #expect(World.current == nil)
  }

  @Test("A test with the trait that fails names its seed, at the line of the trait")
  func failingTrait() async throws {
    let trait = SimulatedTrait.simulated(seeds: 0..<9, file: "Size.swift", line: 7)
    let failures = Recorder<Failure>()
    let test = try #require(Test.current)
    try await FailureReporter.$collector.withValue(FailureCollector { failures.record($0) }) {
      try await trait.provideScope(for: test, testCase: Test.Case.current) {
        if World.current?.seed == 6 { throw CancellationError() }
      }
    }
    let failure = try #require(failures.recorded.first)
    #expect(failures.recorded.count == 1 && failure.line == 7)
    #expect(failure.message.hasPrefix("Seed 6: the body threw CancellationError()."))
  }
}
