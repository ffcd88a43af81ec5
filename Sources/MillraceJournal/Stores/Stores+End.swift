public import Millrace

extension Stores {
  /// Ends the stores of all keys: drains accepted actions for a while, cancels the rest, and stores everything.
  ///
  /// Uses are refused from now on, and each store is shut down as by `Store.shutdown(drainFor:)`: runs that are handled again stay open in the log.
  /// Keys to which actions were sent before are opened and drained too, as many at once as the limits say. When the time is over, the actions that
  /// still wait for the opening of their key are rejected as `Rejection.shuttingDown`; without a time all of them are. A second call joins the first,
  /// and the earlier deadline counts. The journal stays open. Other processes take the partitions when this has returned.
  ///
  /// **Cancellation** of the calling task has no effect; call again with no time to end the drain.
  ///
  /// - Parameter time: The longest wait for actions, on the clock of the stores.
  @discardableResult
  public func shutdown(drainFor time: Duration = .zero) async -> StoresReport {
    waking?.cancel()
    sharing?.stopSharing()
    let report = await core.shutDown(drainFor: time)
    await sharing?.leave()
    return report
  }

  /// Returns when the stores are shut down, and shuts them down when the calling task is cancelled: a service's main function.
  ///
  /// Keys are opened and hibernate whether this was called or not. This also returns when another process has opened the stores with the `address` of this
  /// one, or, in a process without an `address`, has claimed the keys, or the journal has lost records: all stores have stopped then, and
  /// ``StoresReport/firstFailure`` of ``shutdown(drainFor:)`` is the error. Open the stores again to continue.
  ///
  /// - Parameter time: The time for which a shutdown by cancellation drains.
  public func run(drainFor time: Duration = .zero) async {
    let promise = Promise<Void>()
    await withTaskCancellationHandler {
      let hasEnded = core.end.withLock { end in
        if end.report == nil { end.waiting.append(promise) }
        return end.report != nil
      }
      if !hasEnded { await promise.value }
    } onCancel: {
      Task.detached { await self.shutdown(drainFor: time) }
    }
  }
}

/// The end of the stores of many keys: its progress, and its waiters.
struct StoresEnd: Sendable {
  /// The callers that wait for it.
  var waiting: [Promise<Void>] = []
  /// The time on the clock of the stores until which actions drain; nil before the first call.
  var deadline: Int64?
  /// Set when it is over.
  var report: StoresReport?
}

/// The ends of the actions that the stores of many keys had accepted when they were shut down.
public struct StoresReport: Sendable, CustomStringConvertible {
  /// The number of keys that were in memory, or were opened for actions that were sent before.
  public fileprivate(set) var keys = 0

  /// The number of actions that ended by themselves while the stores drained.
  public fileprivate(set) var drained = 0

  /// The number of actions that the shutdown cancelled.
  public fileprivate(set) var cancelled = 0

  /// The number of actions that stay open in the journal, to be handled again.
  public fileprivate(set) var leftOpen = 0

  /// The number of actions whose handlers were still running when the shutdown finished.
  public fileprivate(set) var notReturned = 0

  /// The number of entries that were not known to be durable when the journal failed.
  public fileprivate(set) var notDurable = 0

  /// The number of keys in memory whose journal has failed.
  public fileprivate(set) var failures = 0

  /// The error with which all stores have ended, or the first failure of the journal of a key; nil without one.
  public fileprivate(set) var firstFailure: (any Error)?

  /// Whether every store was shut down cleanly, as `ShutdownReport.isClean` says, and not because another process has claimed the keys.
  public fileprivate(set) var isClean = true

  /// Notes the error with which all stores have ended.
  fileprivate mutating func add(_ failure: JournalError) { (firstFailure, isClean) = (failure, false) }

  fileprivate mutating func add(_ report: ShutdownReport) {
    keys += 1
    drained += report.drained
    cancelled += report.cancelled.count
    leftOpen += report.leftOpen.count
    notReturned += report.notReturned.count
    notDurable += report.notDurable
    if report.failure != nil { failures += 1 }
    firstFailure = firstFailure ?? report.failure
    isClean = isClean && report.isClean
  }

  /// The report in one line.
  public var description: String {
    let failed = failures == 0 ? "" : " of \(failures)"
    let failure = firstFailure.map { ", \(notDurable) not durable; the journal\(failed) failed: \($0)" } ?? ""
    return
      "\(keys) keys: \(drained) drained, \(cancelled) cancelled, \(leftOpen) left open, \(notReturned) not returned\(failure)"
  }
}

extension Incident.Kind {
  /// The stores of all keys of a process have ended, because another process has claimed them or has opened them with the address of this one, or the journal
  /// has lost records.
  ///
  /// It concerns no action. Reported once.
  public static let fencedStores = Incident.Kind(name: "fencedStores")
}

extension StoresCore {
  // MARK: Shutting down

  fileprivate func shutDown(drainFor time: Duration) async -> StoresReport {
    let promise = Promise<Void>()
    let deadline = now &+ max(time.bounded, .zero).nanoseconds
    let (report, isFirst) = end.withLock { end in
      if let report = end.report { return (Optional(report), false) }
      let isFirst = end.deadline == nil
      end.deadline = min(end.deadline ?? .max, deadline)
      end.waiting.append(promise)
      return (nil, isFirst)
    }
    if let report { return report }
    refuseMore(drains: time > .zero)
    let timer =
      registry.withLock { $0.hasWaiting }
      ? Task.detached { [self] in if (try? await sleep(for: time)) != nil { refuseMore() } } : nil
    if isFirst {
      Task.detached { [self] in await endAll() }
    } else {
      for member in registry.withLock({ $0.open }) { Task.detached { await member.store.shutdown(drainFor: time) } }
    }
    await promise.value
    timer?.cancel()
    return end.withLock { $0.report } ?? StoresReport()
  }

  /// Shuts the stores down that are open, and those that are opened meanwhile, until none is left; then resumes the callers that wait for that.
  private func endAll() async {
    var report = await withTaskGroup(of: ShutdownReport.self, returning: StoresReport.self) { group in
      while true {
        // A key that is opening has runs to be left open, and one that hibernates has a snapshot to store.
        let (open, change) = registry.withLock { ($0.takeOpen(), $0.nextChange()) }
        for member in open { group.addTask { [self] in await end(member) } }
        guard let change else { break }
        _ = await change.value
      }
      var sum = StoresReport()
      for await report in group { sum.add(report) }
      return sum
    }
    // The stores of all keys may have failed meanwhile, and without a key in memory no report has that.
    if let failure = registry.withLock({ $0.failure }) { report.add(failure) }
    let waiting = end.withLock { end in
      defer { end.waiting = [] }
      end.report = report
      return end.waiting
    }
    let released = registry.withLock { $0.takeAll() }
    withExtendedLifetime(released) {}
    for promise in waiting { promise.fulfil(()) }
  }

  /// Shuts the store of a key down, and lets another key have its place.
  private func end(_ member: Member) async -> ShutdownReport {
    let (failure, opening) = registry.withLock { ($0.failure, member.opening) }
    if let failure { opening?.fail(failure) }
    let rest = max(0, (end.withLock { $0.deadline } ?? 0) - now)
    let report = await member.store.shutdown(drainFor: .nanoseconds(rest))
    let metrics = member.store.metricsAtOnce
    perform(
      registry.withLock { registry in
        registry.count(metrics, of: member)
        return registry.didEnd(member)
      })
    return report
  }

  // MARK: Failures

  /// Notes a failure of the journal; if another process has claimed the keys, which this one does not share, the stores of all keys end.
  func didFail(_ failure: JournalError) {
    if failure.isLoss, source.partitions?.isShared == false { end(because: failure) }
  }

  /// Ends the stores of all keys with an error, unless they have ended.
  func end(because failure: JournalError) {
    let found = registry.withLock { registry -> (works: [Registry.Work], open: [Member])? in
      if registry.failure != nil { return nil }
      registry.failure = failure
      return (registry.end(.journal(failure)), registry.open)
    }
    guard let found else { return }
    perform(found.works)
    parts.configuration.report(
      Incident(
        .fencedStores, of: I.Action.self, error: failure,
        "The stores \(JournalKey(name).quoted) have ended, and open no key again; see which process has the keys, and open the stores where they are to "
          + "continue. \(failure)"))
    // This may be called by the task that stores the entries of a key.
    Task.detached { [self] in
      for member in found.open { registry.withLock { _ in member.opening }?.fail(failure) }
      _ = await shutDown(drainFor: .zero)
    }
  }
}
