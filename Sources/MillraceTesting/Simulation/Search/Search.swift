import Millrace

/// The search for a failing world: runs worlds until one fails or all have run, shrinks the failing world, and reports it.
struct Search {
  let origin: SimulationOrigin
  let shrinkingAttempts: Int
  /// The longest time, in real time; a world that has begun comes to its end.
  var time: Duration?
  var failures = Simulation.Failures.first
  /// Whether a failure fails the test.
  var isReporting = true
  /// The plans that failed before.
  var kept: KeptPlans?
  var threads = WorldThreads.shared
  let body: Simulation.Body

  /// Runs these plans, in their order, after those that are kept.
  func callAsFunction(_ plans: some Sequence<Simulation.Plan>) async -> Simulation.Report {
    var first: [Simulation.Plan] = []
    do { first = try kept?.all() ?? [] } catch { await fail("\(error)") }
    var (kept, plans) = (first.makeIterator(), plans.makeIterator())
    return await self { _ in kept.next() ?? plans.next() }
  }

  /// Runs the plans that `next` gives.
  ///
  /// - Parameters:
  ///   - isExhaustive: whether each plan depends on the result of the one before.
  ///   - next: The next plan, which is told that result; nil ends the search.
  func callAsFunction(
    isExhaustive: Bool = false, _ next: (WorldRun.Result?) -> Simulation.Plan?
  ) async -> Simulation.Report {
    let run = WorldRun(origin: origin, threads: threads, body: body)
    var report = Simulation.Report()
    if WorldRuntime.isOwnedByThisThread {
      await fail("A simulation was begun in the world of another one; run it in a test of its own.")
      return report
    }
    var (last, known): (WorldRun.Result?, [WorldFailure]) = (nil, [])
    var budget = TimeBudget(time, at: origin.text)
    // Worlds that have begun, in the order of their plans; a few more than threads, so that none waits for a slow one.
    var begun: [Task<WorldRun.Result, Never>] = []
    let most = isExhaustive || threads.count == 1 ? 1 : 4 * threads.count
    while true {
      while begun.count < most, !Task.isCancelled, budget.hasTime(after: report), let plan = next(last) {
        begun.append(Task { await run(plan) })
      }
      if begun.isEmpty { return report }
      let result = await begun.removeFirst().value
      report.count(result)
      last = result
      guard let failure = result.failure, !known.contains(where: { failure.isLike($0) }) else { continue }
      known.append(failure)
      let found = await explain(result, failure, run, worlds: report.worlds)
      report.failures.append(found)
      if isReporting { await fail(found.description, of: failure) }
      if failures == .first || failure.endsAllWorlds { break }
    }
    for world in begun { _ = await world.value }
    return report
  }

  /// Shrinks a failing world, and reports it; no other world runs beside those of this.
  private func explain(
    _ result: WorldRun.Result, _ failure: WorldFailure, _ run: WorldRun, worlds: Int
  ) async -> Simulation.Report.Failure {
    var run = run
    run.isAlone = true
    if threads.count > 1, failure.mayBeRepeated, !Task.isCancelled, await run(result.plan).failure == nil {
      let text = SimulationFailureText(
        result: result, failure: failure, smallest: nil, worlds: worlds, origin: origin, passesAlone: true)
      return Simulation.Report.Failure(
        plan: result.plan, sentence: failure.sentence, description: text.description)
    }
    let smallest = await shrink(result, failure, run)
    let plan = smallest?.plan ?? (result.path == nil ? result.plan : result.made)
    let story = await story(of: smallest?.plan ?? result.made, smallest?.failure ?? failure, run)
    let isKnown = (try? kept?.all().contains(plan)) ?? false
    let text = SimulationFailureText(
      result: result, failure: failure, smallest: smallest, story: story, worlds: worlds, origin: origin,
      kept: isKnown ? nil : kept?.keep(plan, failure.sentence))
    return Simulation.Report.Failure(plan: plan, sentence: text.sentence, description: text.description)
  }

  /// The number of steps after which no further plan that may pass is tried.
  private static let stepsForPassing = 1_000_000

  /// Runs a failing plan once more, and tells its story; nil if it does not fail again.
  private func story(
    of plan: Simulation.Plan, _ failure: WorldFailure, _ run: WorldRun
  ) async -> SimulationStory? {
    guard failure.mayBeRepeated, !Task.isCancelled else { return nil }
    let traced = await run(plan, isTraced: true, patience: 0.05)
    guard let again = traced.failure, again.isLike(failure) else { return nil }
    let passing = await passing(besides: plan, traced, run)
    let deadlock = Deadlock(among: traced.openActions) ?? Deadlock(among: traced.awaits, named: traced.trace.name)
    return SimulationStory(
      events: traced.trace.lines, state: again.state, openActions: traced.openActions, deadlock: deadlock,
      passing: passing)
  }

  /// The nearest plan that passes; nil if none was found.
  private func passing(
    besides plan: Simulation.Plan, _ traced: WorldRun.Result, _ run: WorldRun
  ) async -> SimulationStory.Passing? {
    var spent = 0
    for neighbour in plan.neighbours(traced.trace).prefix(shrinkingAttempts) {
      if Task.isCancelled || spent > Self.stepsForPassing { return nil }
      let result = await run(neighbour.plan, patience: 0.05)
      if result.failure == nil { return neighbour }
      spent += result.steps
    }
    return nil
  }

  /// Fails the test, at the line of a failure if that has one.
  func fail(_ message: String, of failure: WorldFailure? = nil) async {
    let reporter = FailureReporter()
    let caller = failure?.caller ?? (origin.file, origin.line)
    reporter.fail(message, file: caller.file, line: caller.line, at: failure?.location)
    await reporter.settle()
  }

  /// The smallest plan that fails in the same way, and how it went; nil if none was tried.
  private func shrink(
    _ result: WorldRun.Result, _ failure: WorldFailure, _ run: WorldRun
  ) async -> SimulationFailureText.Smallest? {
    guard shrinkingAttempts > 0, failure.mayBeRepeated else { return nil }
    var last = (result, failure)
    var shrinking = Shrinking(attempts: shrinkingAttempts) { plan in
      // A cancelled test waits for no result; and one wait has shown that the world makes no progress.
      if Task.isCancelled { return nil }
      let result = await run(plan, patience: 0.05)
      guard let other = result.failure, other.isLike(failure) else { return nil }
      last = (result, other)
      return result.made
    }
    let plan = await shrinking.smallest(result.made)
    return SimulationFailureText.Smallest(plan: plan, result: last.0, failure: last.1)
  }

  /// Sets the time, and returns the seeds; the environment may have others.
  ///
  /// A value there that cannot be read fails the test.
  mutating func setSize(_ seeds: Range<UInt64>, for time: Duration?) async -> Range<UInt64> {
    switch SimulationEnvironment.current {
    case .failure(let invalid):
      await fail("\(invalid)")
      self.time = time
      return seeds
    case .success(let environment):
      let size = environment.size(seeds, for: time)
      if let sentence = environment.sentence(size, at: origin.text) { writeToStandardError(line: sentence) }
      self.time = size.time
      return size.seeds
    }
  }
}
