import Testing

@testable import MillraceTesting

@Suite("Known bugs")
struct KnownBugTests {
  // A release build leaves out hops that a debug build has, so that a seed is another world there.
  #if !DEBUG
    @Test("Each bug is found by the search, in the world and shrunk to the size that docs/known-bugs.md says")
    func table() async throws {
      let found = await KnownBugTable.found()
      #expect(try KnownBugTable.onPage() == found, "Replace the table of docs/known-bugs.md by this one:\n\(found)")
    }
  #endif

  @Test("A corrected program fails in no world", arguments: KnownBug.all)
  func corrected(bug: KnownBug) async {
    let report = await Simulation.run(seeds: 0..<1_000, bug.corrected)
    #expect(report.failingPlan == nil && report.worlds >= 1_000)
    #expect(report.leftOverTasks == 0, "\(report.leftOvers)")
  }

  @Test(
    "No world without hops shows a bug behind idle actors", arguments: KnownBug.all.filter { $0.need == .idleActor })
  func idleActors(bug: KnownBug) async {
    let report = await KnownBugTable.simulate(bug, hops: .none)
    #expect(report.failingPlan == nil && report.worlds == 2_000)
  }

  @Test(
    "No interleaving with two preemptions shows a bug of three changes",
    arguments: KnownBug.all.filter { $0.need == .threeChanges })
  func threeChanges(bug: KnownBug) async {
    let report = await Simulation.explore(preemptions: 2, bug.broken)
    #expect(report.failingPlan == nil && report.worlds > 10)
  }

  @Test(
    "A bug of a fault and timing passes without its draws, and with them in another order or at another time",
    arguments: KnownBug.all.filter { $0.need == .faultAndTiming })
  func faultAndTiming(bug: KnownBug) async throws {
    let plan = try #require(await KnownBugTable.simulate(bug).failingPlan)
    let run = WorldRun(origin: SimulationOrigin(), body: bug.broken)
    var other = plan
    other.draws = [:]
    #expect(await run(other).failure == nil, "\(plan)")
    // Each of the draws is needed, and no bug needs two faults.
    if plan.draws?.count ?? 0 > 1 { return }
    var passing = 0
    for seed in 0..<200 {
      (other.seed, other.draws, other.steps) = (UInt64(seed), plan.draws, nil)
      if await run(other).failure == nil { passing += 1 }
    }
    #expect(passing > 0, "\(plan)")
  }
}

extension KnownBug: CustomTestStringConvertible {
  var testDescription: String { name }
}
