/// The ends of the actions that a store had accepted when it was shut down.
public struct ShutdownReport: Sendable, Hashable, CustomStringConvertible {
  /// The number of actions that ended by themselves while the store drained.
  public let drained: Int

  /// The actions that had not ended by then, and got ``Outcome/shutDown``.
  public let cut: [ActionID]

  /// The actions whose handlers had not returned when the store was shut down: cut ones, and such that had ended before.
  ///
  /// The tasks of these handlers are cancelled; one that heeds that may return a moment later.
  public let notReturned: [ActionID]

  /// Whether every action had ended by itself.
  public var isClean: Bool { cut.isEmpty && notReturned.isEmpty }

  /// The report in one line.
  public var description: String {
    "\(drained) drained, \(text(cut)) cut, \(text(notReturned)) not returned"
  }

  private func text(_ ids: [ActionID]) -> String {
    if ids.isEmpty { return "0" }
    let shown = ids.prefix(10).map(\.description).joined(separator: " ")
    return "\(ids.count) (\(shown)\(ids.count > 10 ? " …" : ""))"
  }
}

/// An end of the actions that are queued for the lock's holder: they get this outcome, and are not taken up.
struct QueuedEnd {
  let outcome: Outcome

  /// The key of the actions that end, or nil for all.
  let key: PlanKey?
}

/// A shutdown: its progress, and its waiters.
final class Shutdown {
  /// Whether the actions that were queued before it began were taken up, so that later ones came later.
  var isDrain = false

  /// The number of actions that ended by themselves since it began.
  var drained = 0

  /// The actions that it ended.
  var ended: [ActionID] = []

  var waiters: [Promise<ShutdownReport>] = []

  /// Set when it is over.
  var report: ShutdownReport?

  /// Counts an action that ends, unless the shutdown is over.
  func count(_ outcome: Outcome, of id: ActionID) {
    if report != nil { return }
    switch outcome {
    case .rejected(.shuttingDown), .rejected(.intercepted), .rejected(.notSent): return
    case .shutDown: ended.append(id)
    case .finished, .failed, .cancelled, .superseded, .timedOut, .rejected, .abandoned: drained += 1
    }
  }
}
