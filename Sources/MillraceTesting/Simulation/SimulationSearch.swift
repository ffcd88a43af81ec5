/// Runs worlds until one fails; that one is made smaller, and reported.
struct SimulationSearch {
  let maximumSteps: Int
  let shrinkingAttempts: Int
  let hops: Simulation.Hops
  let file: StaticString
  let line: UInt
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
    let run = WorldRun(maximumSteps: maximumSteps, hops: hops, body: body)
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
      let text = SimulationFailureText(
        result: result, failure: failure, smallest: smallest, worlds: report.worlds, maximumSteps: maximumSteps,
        hops: hops)
      await fail(text.description, of: failure)
      break
    }
    return report
  }

  /// Fails the test, at the place of a failure if that has one.
  func fail(_ message: String, of failure: WorldFailure? = nil) async {
    let reporter = FailureReporter()
    let place = failure?.place ?? (file, line)
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
