/// Runs a scenario under a scheduler with a seed, so that each seed is one interleaving, the same each time.
///
/// ```swift
/// await Simulation.run(seeds: 0..<1_000) { world in
///   let store = Store(
///     initial: Records.State(), interactor: Records(gateway: FakeRecords()), configuration: world.configuration)
///   world.always("nothing is loaded twice", of: store) { $0.loads <= 1 }
///   for action in world.actions(20, from: [.reload, .clear]) { store.send(action) }
/// }
/// ```
///
/// The store, its handlers, `Task {}` in them, fakes and time are those of production, but for who decides what runs next:
/// the scheduler takes all that tasks of the world enqueue, and runs it on one thread. A failing seed is shrunk, and reported as
/// a failure of the test at the caller's line, with all that is needed to run it again.
///
/// **Isolation.** Worlds run one at a time in a process; a second simulation waits for the first. Other tasks of the process go
/// on meanwhile, untouched. What works on another thread (a sleep on a clock of the system, a socket) does not belong in a world,
/// and fails the seed when it comes back.
///
/// **Cancellation** of the calling task ends it after the world that runs.
public enum Simulation {
  /// What a world does.
  public typealias Body = @Sendable (World) async throws -> Void

  /// Runs a world for each seed, until one fails; that one is shrunk and reported.
  ///
  /// - Parameters:
  ///   - seeds: the seeds to run.
  ///   - maximumSteps: how many steps one world may take.
  ///   - shrinkingAttempts: how many smaller plans of a failing seed are tried.
  ///   - body: what each world does.
  ///   - file: the file that a failure names.
  ///   - line: the line that a failure names.
  /// - Returns: what was run, and the plan that fails, if one does.
  @discardableResult
  public static func run(
    seeds: Range<UInt64>, maximumSteps: Int = 1_000_000, shrinkingAttempts: Int = 1_000, file: StaticString = #filePath,
    line: UInt = #line, _ body: @escaping Body
  ) async -> SimulationReport {
    var next = seeds.lowerBound
    return await search(maximumSteps, shrinkingAttempts, body, file, line) {
      guard next < seeds.upperBound else { return nil }
      defer { next += 1 }
      return SimulationPlan(seed: next)
    } after: { _, _ in
    }
  }

  /// Runs the world of one seed, as it was run among others.
  ///
  /// - Parameters:
  ///   - seed: the seed to run.
  ///   - maximumSteps: how many steps the world may take.
  ///   - body: what the world does.
  ///   - file: the file that a failure names.
  ///   - line: the line that a failure names.
  /// - Returns: what was run, and the plan that fails, if it does.
  @discardableResult
  public static func run(
    seed: UInt64, maximumSteps: Int = 1_000_000, file: StaticString = #filePath, line: UInt = #line,
    _ body: @escaping Body
  ) async -> SimulationReport {
    var next: SimulationPlan? = SimulationPlan(seed: seed)
    return await search(maximumSteps, 1_000, body, file, line) {
      defer { next = nil }
      return next
    } after: { _, _ in
    }
  }

  /// Runs the world of a plan that a failure has given, without making it smaller.
  ///
  /// - Parameters:
  ///   - plan: the text of the plan; one that is none fails the test.
  ///   - maximumSteps: how many steps the world may take.
  ///   - body: what the world does.
  ///   - file: the file that a failure names.
  ///   - line: the line that a failure names.
  /// - Returns: what was run, and the plan that fails, if it does.
  @discardableResult
  public static func run(
    plan: String, maximumSteps: Int = 1_000_000, file: StaticString = #filePath, line: UInt = #line,
    _ body: @escaping Body
  ) async -> SimulationReport {
    var next = SimulationPlan(plan)
    if next == nil {
      FailureReporter().fail(
        "'\(plan)' is no plan of a simulation; copy the whole text of the failure, such as '417 actions 0,4 draws none steps 12=1'.",
        file: file, line: line)
    }
    return await search(maximumSteps, 0, body, file, line) {
      defer { next = nil }
      return next
    } after: { _, _ in
    }
  }

  /// Runs every interleaving that differs from the first one at no more than so many steps; for small scenarios.
  ///
  /// The first one runs, at each step, the task that has waited longest. Draws and actions are those of the seed.
  ///
  /// - Parameters:
  ///   - preemptions: at how many steps at most another task runs.
  ///   - seed: where draws and actions come from.
  ///   - limit: how many worlds are run at most; more than that fails the test.
  ///   - body: what each world does.
  ///   - file: the file that a failure names.
  ///   - line: the line that a failure names.
  /// - Returns: what was run, and the plan that fails, if one does.
  @discardableResult
  public static func explore(
    preemptions: Int, seed: UInt64 = 0, limit: Int = 100_000, file: StaticString = #filePath, line: UInt = #line,
    _ body: @escaping Body
  ) async -> SimulationReport {
    var exploring = Exploring(seed: seed, preemptions: preemptions)
    var count = 0
    var isCut = false
    let report = await search(1_000_000, 1_000, body, file, line) {
      guard let plan = exploring.next() else { return nil }
      count += 1
      isCut = count > limit
      return isCut ? nil : plan
    } after: { plan, widths in
      exploring.add(after: plan, widths: widths)
    }
    if isCut {
      FailureReporter().fail(
        """
        There are more than \(limit) interleavings with up to \(preemptions) preemptions; explore fewer preemptions, a smaller \
        scenario, or give a higher limit.
        """, file: file, line: line)
    }
    return report
  }

  /// Runs the plans that `next` gives until one fails.
  private static func search(
    _ maximumSteps: Int, _ shrinkingAttempts: Int, _ body: @escaping Body, _ file: StaticString, _ line: UInt,
    _ next: () -> SimulationPlan?, after: (SimulationPlan, [Int]) -> Void
  ) async -> SimulationReport {
    let run = WorldRun(maximumSteps: maximumSteps, body: body)
    let reporter = FailureReporter()
    var report = SimulationReport()
    if JobQueue.isOwnedByThisThread {
      reporter.fail(
        "A simulation was begun in the world of another one; run it in a test of its own.", file: file, line: line)
      return report
    }
    while !Task.isCancelled, let plan = next() {
      let result = await run(plan)
      report.count(result)
      after(plan, result.widths)
      guard let failure = result.failure else { continue }
      let (smallest, last) = await shrink(result, failure, run, attempts: shrinkingAttempts)
      report.failingPlan = smallest
      let text = SimulationFailureText(
        plan: plan, smallest: smallest, failure: last.failure ?? failure, result: last, worlds: report.worlds)
      let place = failure.place ?? (file, line)
      reporter.fail(text.description, file: place.file, line: place.line)
      break
    }
    await reporter.settle()
    return report
  }

  /// The smallest plan that fails in the same way, and how it went.
  private static func shrink(
    _ result: WorldRun.Result, _ failure: WorldFailure, _ run: WorldRun, attempts: Int
  ) async -> (SimulationPlan, WorldRun.Result) {
    var last = result
    var shrinking = Shrinking(attempts: attempts) { plan in
      // Nobody waits for what a cancelled test would be told; and that a world stands still was waited for once.
      if Task.isCancelled { return nil }
      let result = await run(plan, patience: 0.05)
      guard let other = result.failure, other.isLike(failure) else { return nil }
      last = result
      return result.made
    }
    let smallest = await shrinking.smallest(result.made)
    return (smallest, last)
  }
}
