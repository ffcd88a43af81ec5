/// The ends of the actions that a store had accepted when it was shut down.
public struct ShutdownReport: Sendable, Hashable, CustomStringConvertible {
  /// The number of actions that ended by themselves while the store drained.
  public let drained: Int

  /// The actions that had not ended by then: the shutdown cancelled them, and they got ``Outcome/shutDown``, or ``Outcome/failed(_:)`` if the journal had failed.
  public let cancelled: [ActionID]

  /// The actions that had not ended by then and stay open in the journal, because their plans ask for them to be handled again: they got
  /// ``Outcome/leftOpen``.
  public let leftOpen: [ActionID]

  /// The actions whose handlers were still running when the shutdown finished, whether it cancelled them or they had ended earlier.
  ///
  /// The tasks of these handlers are cancelled; a handler that heeds its cancellation may return a moment later.
  public let notReturned: [ActionID]

  /// The number of entries of the journal that were not known to be durable when it failed; 0 if it did not.
  public let notDurable: Int

  /// The failure of the journal that stopped the store, or kept its shutdown waiting for too long; nil if there was none.
  ///
  /// Two reports are equal if the descriptions of their failures are.
  public var failure: (any Error)? { journalFailure?.error }

  private let journalFailure: DescribedError?

  init(
    drained: Int, cancelled: [ActionID], leftOpen: [ActionID] = [], notReturned: [ActionID], notDurable: Int = 0,
    failure: (any Error)? = nil
  ) {
    self.drained = drained
    self.cancelled = cancelled
    self.leftOpen = leftOpen
    self.notReturned = notReturned
    self.notDurable = notDurable
    journalFailure = failure.map { DescribedError(error: $0) }
  }

  /// Whether every action had ended by itself, with its handler, or stays open in the journal, and the journal had not failed.
  public var isClean: Bool {
    cancelled.isEmpty && notReturned.allSatisfy { leftOpen.contains($0) } && failure == nil
  }

  /// The report in one line.
  public var description: String {
    let ending = failure.map { ", \(notDurable) not durable; the journal failed: \($0)" } ?? ""
    let open = leftOpen.isEmpty ? "" : "\(text(leftOpen)) left open, "
    return "\(drained) drained, \(text(cancelled)) cancelled, \(open)\(text(notReturned)) not returned\(ending)"
  }

  private func text(_ ids: [ActionID]) -> String {
    if ids.isEmpty { return "0" }
    let shown = ids.prefix(10).map(\.description).joined(separator: " ")
    return "\(ids.count) (\(shown)\(ids.count > 10 ? " …" : ""))"
  }
}

/// An error that equals one with the same description.
private struct DescribedError: Sendable, Hashable {
  let error: any Error

  static func == (one: DescribedError, other: DescribedError) -> Bool { "\(one.error)" == "\(other.error)" }

  func hash(into hasher: inout Hasher) { hasher.combine("\(error)") }
}

/// An end of the actions that are queued for the lock's holder: they get this outcome, and are not taken up.
struct QueuedEnd {
  let outcome: Outcome

  /// The key of the actions that end, or nil for all.
  let key: PlanKey?
}

/// A shutdown: its progress, and its waiters.
final class Shutdown {
  /// The reason for which further actions are rejected.
  let refusal: Rejection

  /// Whether the actions that were queued before it began were taken up, so that later ones came later.
  var isDrain = false

  /// The number of actions that ended by themselves since it began.
  var drained = 0

  /// The actions that it ended.
  var ended: [ActionID] = []

  /// The actions that it left open in the journal.
  var leftOpen: [ActionID] = []

  /// The failure of the journal, after which no action ends by itself.
  var failure: (any Error)?

  /// The number of entries that were not durable then.
  var notDurable = 0

  /// The figures of the journal when it failed.
  var journal: Metrics.Journal?

  /// Whether every action has its outcome, and the entries of the journal have to become durable.
  var isFlushing = false

  var waiters: [Promise<ShutdownReport>] = []

  /// Set when it is over.
  var report: ShutdownReport?

  init(_ refusal: Rejection = .shuttingDown) {
    self.refusal = refusal
  }

  /// Counts an action that ends, unless the shutdown is over.
  func count(_ outcome: Outcome, of id: ActionID) {
    if report != nil { return }
    switch outcome {
    case .rejected(.shuttingDown), .rejected(.notOwner), .rejected(.intercepted), .rejected(.notSent): return
    case .rejected where failure != nil: return
    case .shutDown,
      .failed where failure != nil:
      ended.append(id)
    case .leftOpen: leftOpen.append(id)
    case .finished, .failed, .cancelled, .superseded, .timedOut, .rejected, .abandoned: drained += 1
    }
  }
}
