/// Runs worlds until one fails; that one is made smaller, and reported.
struct SimulationSearch {
  let origin: SimulationOrigin
  let shrinkingAttempts: Int
  let body: Simulation.Body

  /// Runs these plans, in their order.
  func callAsFunction(_ plans: some Sequence<SimulationPlan>) async -> SimulationReport {
    var plans = plans.makeIterator()
    return await self { _ in plans.next() }
  }

  /// Runs the plans that `next` gives, which is told what became of the one before.
  func callAsFunction(
    isExploring: Bool = false, _ next: (WorldRun.Result?) -> SimulationPlan?
  ) async -> SimulationReport {
    let run = WorldRun(origin: origin, body: body)
    var report = SimulationReport()
    if JobQueue.isOwnedByThisThread {
      await fail("A simulation was begun in the world of another one; run it in a test of its own.")
      return report
    }
    var last: WorldRun.Result?
    while !Task.isCancelled, let plan = next(last) {
      let result = await run(plan, isExplored: isExploring)
      report.count(result)
      last = result
      guard let failure = result.failure else { continue }
      let smallest = await shrink(result, failure, run)
      report.failingPlan = smallest?.plan ?? (isExploring ? result.made : plan)
      let story = await story(of: smallest?.plan ?? result.made, smallest?.failure ?? failure, run)
      let text = SimulationFailureText(
        result: result, failure: failure, smallest: smallest, story: story, worlds: report.worlds, origin: origin)
      await fail(text.description, of: failure)
      break
    }
    return report
  }

  /// The number of steps after which no further plan that may pass is tried.
  private static let stepsForPassing = 1_000_000

  /// Runs a failing plan once more, and tells its story; nil if it does not fail again.
  private func story(
    of plan: SimulationPlan, _ failure: WorldFailure, _ run: WorldRun
  ) async -> SimulationStory? {
    guard failure.mayBeRepeated, !Task.isCancelled else { return nil }
    let traced = await run(plan, isTraced: true, patience: 0.05)
    guard let again = traced.failure, again.isLike(failure) else { return nil }
    let passing = await passing(besides: plan, steps: traced.steps, run)
    return SimulationStory(
      events: traced.trace, state: again.state, openActions: traced.openActions, passing: passing)
  }

  /// The nearest plan that passes; nil if none was found.
  private func passing(besides plan: SimulationPlan, steps: Int, _ run: WorldRun) async -> SimulationStory.Passing? {
    var spent = 0
    for neighbour in plan.neighbours(steps: steps).prefix(shrinkingAttempts) {
      if Task.isCancelled || spent > Self.stepsForPassing { return nil }
      let result = await run(neighbour.plan, patience: 0.05)
      if result.failure == nil { return neighbour }
      spent += result.steps
    }
    return nil
  }

  /// Fails the test, at the place of a failure if that has one.
  func fail(_ message: String, of failure: WorldFailure? = nil) async {
    let reporter = FailureReporter()
    let place = failure?.place ?? (origin.file, origin.line)
    reporter.fail(message, file: place.file, line: place.line, at: failure?.location)
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
}
