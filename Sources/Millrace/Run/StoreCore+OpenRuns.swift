/// The open runs, for operators.
extension StoreCore {
  /// The number of runs that one step looks at, so that senders wait for no more.
  private static var runsAStep: Int { 1_000 }

  /// The open runs behind one in the order of their ids, at most `limit`.
  func openRuns(limit: Int, after: ActionID?) async -> [OpenRun<I.Action>] {
    var found: [(id: ActionID, handle: Int)] = []
    var next: Int? = 0
    while let first = next {
      let range = first..<first + Self.runsAStep
      let page = await read { ($0.runs?.openIDs(in: range) ?? [], $0.runs?.tables.records.count ?? 0) }
      found += page.0
      next = range.upperBound < page.1 ? range.upperBound : nil
    }
    let unreadable = await read { $0.journal?.sink }?.unreadableRuns ?? []
    let isBehind = { (id: ActionID) in after.map { id.number > $0.number } ?? true }
    let names = (found.map(\.id) + unreadable.map(\.id)).filter(isBehind).sorted { $0.number < $1.number }
    let chosen = Set(names.prefix(max(limit, 0)))
    let handles = found.filter { chosen.contains($0.id) }
    var runs = unreadable.filter { chosen.contains($0.id) }
    for first in stride(from: 0, to: handles.count, by: Self.runsAStep) {
      let page = handles[first..<min(first + Self.runsAStep, handles.count)]
      runs += await read { owned in
        var stuck = owned.stuckRuns
        return page.compactMap { owned.openRun($0.id, $0.handle, &stuck, at: self) }
      }
    }
    return runs.sorted { $0.id.number < $1.id.number }
  }

  /// Returns the result of a step.
  private func read<Value: Sendable>(_ step: @escaping @Sendable (inout Owned<I>) -> Value) async -> Value {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Value, Never>) in
      perform { owned in
        let value = step(&owned)
        self.lock.afterUnlock { continuation.resume(returning: value) }
      }
    }
  }
}

extension RunRegistry {
  /// The open runs with these handles; not the actions that share a run, whose first one has the id of the run.
  fileprivate func openIDs(in range: Range<Int>) -> [(id: ActionID, handle: Int)] {
    range.clamped(to: tables.records.indices).compactMap { handle in
      guard let run = tables.records[handle], !run.hasEnded, run.record.sharedRun == nil else { return nil }
      return (run.id, handle)
    }
  }

  /// The time since the action of a run was accepted, or since its handler began if it has no plan; nil before that.
  func age(of run: ActiveRun<I>, _ handle: Scheduler.Handle) -> Instant? {
    let since = scheduler.planned(handle)?.acceptedAt ?? run.handlerStart
    return since.map { max(services.time.now() - $0, 0) + (run.takenUp?.age ?? 0) }
  }
}

extension Owned {
  fileprivate var stuckRuns: StuckRuns {
    StuckRuns(runs?.tables.times ?? RunTimes())
  }

  /// The run with a handle; nil if it has ended since.
  fileprivate func openRun(
    _ id: ActionID, _ handle: Int, _ stuck: inout StuckRuns, at core: StoreCore<I>
  ) -> OpenRun<I.Action>? {
    guard let runs, runs.tables.records.indices.contains(handle), let run = runs.tables.records[handle], run.id == id,
      !run.hasEnded
    else { return nil }
    let logged = journal?.sink.loggedRun(of: id)
    let steps = run.madeSteps
    var stage = runs.scheduler.openStage(of: Scheduler.Handle(handle))
    if stage == .running {
      let isDurable = run.takenUp.map { journal?.gate.isDurable(position: $0.startPosition) != false } ?? true
      stage = isDurable ? steps?.stage ?? .running : .durability
    }
    let age = runs.age(of: run, Scheduler.Handle(handle)).map { Duration.nanoseconds($0) }
    let name = runs.scheduler.planName(of: Scheduler.Handle(handle))
    let attempt = run.record.attempt?.number ?? (runs.scheduler.wasStarted(Scheduler.Handle(handle)) ? 1 : 0)
    let deaths = logged?.deaths ?? 0
    return OpenRun(
      id: id, action: run.action, key: run.record.journaled?.key ?? core.runKey(of: run).text,
      plan: runs.scheduler.planned(Scheduler.Handle(handle))?.terms?.name, age: age,
      isStuck: stuck.contain(planNamed: name, age: age, attempt: attempt, deaths: deaths, stage: stage),
      attempt: attempt, deaths: deaths, lastStep: steps?.last ?? run.takenUp?.steps.last?.name, stage: stage,
      record: logged?.record)
  }
}
