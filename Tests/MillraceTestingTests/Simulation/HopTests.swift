import Millrace
import Testing

@testable import MillraceTesting

/// Bugs behind actors that are idle when they are called, so that nothing but the call itself lets another task go first.
@Suite("Hops of a simulation")
struct HopTests {
  /// Asks a source for each value once, or means to: the source answers at once, so the actor is idle whenever it is called.
  private actor Cache {
    private var values: [Int: Int] = [:]
    private let source: Source

    init(_ source: Source) { self.source = source }

    func value(of key: Int) async -> Int {
      if let value = values[key] { return value }
      let value = await source.fetch(key)
      values[key] = value
      return value
    }
  }

  private actor Source {
    private(set) var fetches = 0

    func fetch(_ key: Int) -> Int {
      fetches += 1
      return key * 2
    }
  }

  private static let stampede: Simulation.Body = { world in
    let source = Source()
    let cache = Cache(source)
    await withTaskGroup { group in
      for _ in 0..<3 { group.addTask { _ = await cache.value(of: 1) } }
    }
    world.expect(await source.fetches == 1, "the source is asked once for each key")
  }

  /// An account that checks before it waits, and pays after.
  private actor Account {
    private(set) var balance = 100
    private let audit: Audit

    init(_ audit: Audit) { self.audit = audit }

    func withdraw(_ amount: Int) async {
      guard balance >= amount else { return }
      await audit.allow()
      balance -= amount
    }
  }

  private actor Audit {
    func allow() {}
  }

  private static let reentrancy: Simulation.Body = { world in
    let account = Account(Audit())
    await withTaskGroup { group in
      for _ in 0..<2 { group.addTask { await account.withdraw(60) } }
    }
    world.expect(await account.balance >= 0, "no more is withdrawn than there is")
  }

  private func failures(_ hops: Simulation.Hops, _ body: @escaping Simulation.Body) async -> Simulation.Report {
    var report = Simulation.Report()
    await Failures().collect { report = await Simulation.run(seeds: 0..<500, options: .init(hops: hops), body) }
    return report
  }

  @Test("A stampede on a cache behind idle actors is found within ten worlds, and in none without hops")
  func findsStampede() async {
    let report = await failures(.actors, Self.stampede)
    #expect(report.failingPlan != nil && report.worlds <= 10)
    #expect(await failures(.none, Self.stampede).failingPlan == nil)
  }

  @Test("A check that an idle actor makes before it waits, and acts on after, is found within ten worlds")
  func findsReentrancy() async {
    let report = await failures(.actors, Self.reentrancy)
    #expect(report.failingPlan != nil && report.worlds <= 10)
    #expect(await failures(.none, Self.reentrancy).failingPlan == nil)
  }

  @Test("A call of a function that runs on no actor is a decision if all hops are")
  func concurrentFunctions() async {
    let body: Simulation.Body = { world in
      let count = Box(0)
      await withTaskGroup { group in
        for _ in 0..<2 {
          group.addTask {
            let read = count.value
            await Self.pass()
            count.value = read + 1
          }
        }
      }
      world.expect(count.value == 2, "nothing is lost")
    }
    #expect(await failures(.actors, body).failingPlan == nil)
    #expect(await failures(.all, body).failingPlan != nil)
  }

  @concurrent private static func pass() async {}

  @Test("A plan that was found with other hops says so, and fails again with them")
  func replay() async throws {
    let failures = Failures()
    var report = Simulation.Report()
    await failures.collect { report = await Simulation.run(seeds: 0..<100, options: .init(hops: .all), Self.stampede) }
    let plan = try #require(report.failingPlan)
    #expect(failures.messages.first?.contains("Simulation.run(plan: \"\(plan)\", options: .init(hops: .all))") == true)
    await failures.collect { await Simulation.run(plan: "\(plan)", options: .init(hops: .all), Self.stampede) }
    #expect(failures.messages.count == 2)
  }

  @Test(
    "An actor does the same with hops as without, and each call returns its value to its caller",
    arguments: Simulation.Hops.allCases)
  func meaning(hops: Simulation.Hops) async {
    let report = await Simulation.run(seeds: 0..<60, options: .init(hops: hops)) { world in
      let source = Source()
      let values = Recorder<Int>()
      await withTaskGroup { group in
        for key in 0..<4 {
          group.addTask { for number in 0..<5 { values.record(await source.fetch(key * 10 + number)) } }
        }
        group.addTask { await Self.fetchOnMain(source, values) }
      }
      let keys = [0, 10, 20, 30, 100].flatMap { first in (0..<5).map { (first + $0) * 2 } }
      world.expect(values.recorded.sorted() == keys, "each call has its value")
      world.expect(await source.fetches == 25, "each call is one")
    }
    #expect(report.failingPlan == nil)
  }

  @MainActor private static func fetchOnMain(_ source: Source, _ values: Recorder<Int>) async {
    for number in 0..<5 { values.record(await source.fetch(100 + number)) }
  }

  @Test("An actor that is busy keeps its callers in its queue, with hops too")
  func busy() async {
    let report = await Simulation.run(seeds: 0..<60) { world in
      let section = Section()
      await withTaskGroup { group in
        for _ in 0..<4 { group.addTask { await section.enter() } }
      }
      world.expect(await section.mostInside == 1, "an actor has one task at a time inside")
    }
    #expect(report.failingPlan == nil)
  }

  private actor Section {
    private var inside = 0
    private(set) var mostInside = 0

    func enter() {
      inside += 1
      mostInside = max(mostInside, inside)
      inside -= 1
    }
  }

  @Test("A runtime that tells of no task fails the seed with a sentence")
  func noHooks() {
    let runtime = WorldRuntime(patience: 0)
    let isTold = runtime.adopt { (runtime.noteBeginning {}, runtime.noteBeginning { Task.detached {} }) }
    #expect(isTold == (false, true))
    #expect(
      WorldFailure(.noHooks).sentence
        == """
        the runtime of this process does not tell of the tasks that it enqueues, so that no seed can decide their order; simulate \
        with the concurrency runtime of a Swift toolchain for Linux or macOS
        """)
  }
}
