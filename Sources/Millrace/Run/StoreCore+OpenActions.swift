/// The open actions in words, for a test that finds that nothing continues.
extension StoreCore {
  /// The actions that have not ended or whose handlers have not returned; nil from inside a step.
  func openActions() -> [OpenAction]? {
    performNow { $0.runs?.openActions ?? [] }
  }
}

extension RunRegistry {
  fileprivate var openActions: [OpenAction] {
    scheduler.openActions
      .sorted { record(of: $0.handle)?.id.number ?? 0 < record(of: $1.handle)?.id.number ?? 0 }
      .map { handle, reason in
        let run = record(of: handle)
        return OpenAction(
          "\(name(of: handle)) \(words(for: reason))", run: runID(of: handle),
          awaitedBy: run.flatMap { $0.isAwaited || $0.record.answer != nil ? $0.lineage?.parent : nil },
          waitsFor: handles(in: reason).compactMap { runID(of: $0) })
      }
  }

  private func runID(of handle: Scheduler.Handle) -> RunID? {
    record(of: handle).map { RunID(store: services.store, action: $0.id) }
  }

  /// The actions without which a waiting one cannot continue; of several that have permits any one may be enough.
  private func handles(in reason: Scheduler.Reason) -> [Scheduler.Handle] {
    switch reason {
    case .turn(_, let owners): owners
    case .permit(_, let owners): owners.count == 1 ? owners : []
    case .sharedRun(let run): [run]
    case .handlerOut, .handlerOutAfterEnd, .resting, .betweenAttempts, .pace, .recovery, .slot, .step: []
    }
  }

  private func record(of handle: Scheduler.Handle) -> ActiveRun<I>? {
    tables.records.indices.contains(Int(handle)) ? tables.records[Int(handle)] : nil
  }

  private func name(of handle: Scheduler.Handle) -> String {
    guard let run = record(of: handle), let id = runID(of: handle) else { return "a shared run" }
    return "\(id) \(ValueText.of(run.action, limit: 80))"
  }

  private func words(for reason: Scheduler.Reason) -> String {
    switch reason {
    case .handlerOut: "has a handler that has not returned"
    case .handlerOutAfterEnd: "has ended, and its handler has not returned"
    case .resting: "sleeps or waits in a step"
    case .betweenAttempts: "waits for the time of its next attempt"
    case .pace: "waits for the end of its debounce or throttle"
    case .turn(let key, let owners): "waits for the turn of key \(words(for: key))\(clause(for: owners))"
    case .permit(let key, let owners): "waits for a permit of key \(words(for: key))\(clause(for: owners))"
    case .recovery: "waits to be handled again alone, after others that were handled when processes ended"
    case .slot: "waits for one of the store's slots"
    case .sharedRun(let run): "shares the run of \(name(of: run))"
    case .step: "waits for its next step"
    }
  }

  private func words(for key: Scheduler.KeyIndex) -> String {
    ValueText.of(scheduler.keys.key(of: key).key.value, limit: 80)
  }

  /// The clause that names the actions which have the turn or the permits.
  private func clause(for owners: [Scheduler.Handle]) -> String {
    if owners.isEmpty { return "" }
    let names = owners.prefix(3).map { name(of: $0) }.joined(separator: " and ")
    return ", which \(names)\(owners.count > 3 ? " and others" : "") \(owners.count == 1 ? "has" : "have")"
  }
}
