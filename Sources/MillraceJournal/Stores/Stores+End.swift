import Millrace

extension Stores {
  /// Ends the stores of all keys at once: drains accepted actions for a while, cancels the rest, and stores everything.
  ///
  /// Uses are refused from now on, keys that wait for their opening are not opened, and each store is shut down as by `Store.shutdown(drainFor:)`:
  /// runs that are handled again stay open in the log. A second call joins the first, and the earlier deadline counts. The journal stays open.
  /// Other processes take the partitions when this has returned.
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
  /// Keys are opened and hibernate whether this was called or not.
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

/// The ends of the actions that the stores of many keys had accepted when they were shut down.
public struct StoresReport: Sendable, CustomStringConvertible {
  /// The number of keys that were in memory.
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

  /// The number of stores whose journal has failed.
  public fileprivate(set) var failures = 0

  /// The first failure of a journal; nil without one.
  public fileprivate(set) var firstFailure: (any Error)?

  /// Whether every store was shut down cleanly, as `ShutdownReport.isClean` says.
  public fileprivate(set) var isClean = true

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
    let failure = firstFailure.map { ", \(notDurable) not durable; the journal of \(failures) failed: \($0)" } ?? ""
    return
      "\(keys) keys: \(drained) drained, \(cancelled) cancelled, \(leftOpen) left open, \(notReturned) not returned\(failure)"
  }
}

extension StoresCore {
  fileprivate func shutDown(drainFor time: Duration) async -> StoresReport {
    if let report = end.withLock({ $0.report }) { return report }
    refuseMore()
    // Keys that are opening have runs to be left open, and those that are closing have a snapshot to store.
    while let promise = registry.withLock({ $0.nextChange() }) { _ = await promise.value }
    let members = registry.withLock { $0.open }
    let report = await withTaskGroup(of: ShutdownReport.self, returning: StoresReport.self) { group in
      for member in members { group.addTask { await member.store.shutdown(drainFor: time) } }
      var sum = StoresReport()
      for await report in group { sum.add(report) }
      return sum
    }
    let (first, waiting) = end.withLock { end in
      defer { end.waiting = [] }
      let first = end.report ?? report
      end.report = first
      return (first, end.waiting)
    }
    let released = registry.withLock { $0.takeAll() }
    withExtendedLifetime(released) {}
    for promise in waiting { promise.fulfil(()) }
    return first
  }
}
