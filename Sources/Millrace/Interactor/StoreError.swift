/// The failure of a call that waits for a store: for a state, for an answer, for room, or for the next element.
///
/// ```swift
/// do {
///   return try await store.request(.fetch(name), returning: { $0.artifacts[name] })
/// } catch let error as StoreError where error.outcome?.kind == .timedOut {
///   return nil
/// }
/// ```
///
/// A call whose task is cancelled throws `CancellationError` instead.
public struct StoreError: Error, Sendable, CustomStringConvertible {
  /// The kinds of failures; later versions may add some.
  public struct Code: Sendable, Hashable {
    fileprivate enum Kind: Sendable, Hashable {
      case timedOut, shutDown, notFinished, deadlock, lagged, noState, journal
    }

    fileprivate let kind: Kind

    /// No state satisfied the predicate of ``Store/wait(until:timeout:)`` in time.
    public static let timedOut = Code(kind: .timedOut)

    /// The store was shut down before a state satisfied the predicate, or before a submitted action was accepted.
    public static let shutDown = Code(kind: .shutDown)

    /// The action of a request did not finish; ``StoreError/outcome`` says how it ended.
    public static let notFinished = Code(kind: .notFinished)

    /// The request of a run can never be answered, because its action waits for the end of that run, in its own store or through others.
    public static let deadlock = Code(kind: .deadlock)

    /// The observer was further behind than its ``ObservationPolicy`` allows.
    public static let lagged = Code(kind: .lagged)

    /// An effect was iterated as a plain sequence, which gives it no state.
    public static let noState = Code(kind: .noState)

    /// The store stopped because its journal failed; ``StoreError/underlying`` is the error of the journal.
    public static let journal = Code(kind: .journal)
  }

  /// The failure with the facts that belong to it.
  @usableFromInline
  package enum Reason: Sendable {
    case noStateInTime
    case shutDownBeforeState
    case shutDownBeforeAcceptance
    case ended(Outcome)
    /// The action of a request can never end, because of these waits.
    case deadlock(String)
    /// The observer was this many commits behind, more than its buffer has room for.
    case overflowed(lag: Int)
    /// The lossless observer was this many commits behind, more than its limit.
    case lagged(lag: Int)
    case effectWithoutState
    /// The journal failed for good, and the store with it.
    case journalFailed(any Error)
    /// The store of one of many keys could not be opened, because the journal failed.
    case notOpened(any Error)
  }

  private let reason: Reason

  @usableFromInline
  package init(_ reason: Reason) {
    self.reason = reason
  }

  /// The kind of the failure.
  public var code: Code {
    switch reason {
    case .noStateInTime: .timedOut
    case .shutDownBeforeState, .shutDownBeforeAcceptance: .shutDown
    case .ended: .notFinished
    case .deadlock: .deadlock
    case .overflowed, .lagged: .lagged
    case .effectWithoutState: .noState
    case .journalFailed, .notOpened: .journal
    }
  }

  /// The outcome of the action that was requested: any but ``Outcome/finished``; nil for every other failure.
  public var outcome: Outcome? {
    if case .ended(let outcome) = reason { outcome } else { nil }
  }

  /// The error of the journal that failed, or the error in ``outcome``: of the handler that failed, of the decision or of the journal that
  /// rejected the action; otherwise nil.
  public var underlying: (any Error)? {
    switch (reason, outcome) {
    case (.journalFailed(let error), _), (.notOpened(let error), _), (_, .failed(let error)),
      (_, .rejected(.decided(let error))), (_, .rejected(.journal(let error))):
      return error
    default: return nil
    }
  }

  /// The failure as a sentence, with the fix.
  public var description: String {
    switch reason {
    case .noStateInTime:
      "No state satisfied the predicate in time; send what leads to such a state, or wait with a longer timeout."
    case .shutDownBeforeState:
      "The store was shut down before a state satisfied the predicate; wait before shutting it down."
    case .shutDownBeforeAcceptance:
      "The store is shut down and takes no more actions; submit to a store that is running."
    case .ended(let outcome):
      StoreError.sentence(of: outcome)
    case .deadlock(let waits):
      "The request can never be answered: \(waits). Give the plan of one of these actions a `timeout`, or let one of the runs `send` its "
        + "action and not wait for it."
    case .overflowed(let lag):
      "The observer was \(lag) commits behind, further than its buffer; take elements faster, give it a larger buffer, or "
        + "let it report gaps."
    case .lagged(let lag):
      "The lossless observer was \(lag) commits behind, further than its limit; take elements faster, or give it a higher "
        + "limit."
    case .effectWithoutState:
      "An effect has no state of its own to run on; return it from `handle`, iterate `effect.mutations(state:)`, "
        + "or map it with `mapMutations` rather than with the operators of sequences."
    case .journalFailed(let error):
      "The store has stopped because its journal failed; open it again to continue. \(error)"
    case .notOpened(let error):
      "The store of the key could not be opened, and the next use of the key tries again. \(error)"
    }
  }

  private static func sentence(of outcome: Outcome) -> String {
    switch outcome {
    case .finished:
      "The action finished."
    case .failed(let error):
      "The action failed: \(error). Catch the error in its handler, or let its plan retry."
    case .cancelled:
      "The action was cancelled before it finished; request it again if the answer is still needed."
    case .superseded:
      "A later action of its key replaced the action; request that one, or give the plan an overlap that replaces nothing."
    case .timedOut:
      "The action did not finish within the time that its plan allows; request it again, or raise the timeout."
    case .rejected(let rejection):
      rejection.description
    case .shutDown:
      "The store was shut down before the action finished; request it before shutting the store down, or drain for longer."
    case .abandoned:
      "The action was found open after a crash and abandoned; request it again, or let its plan handle it again."
    case .leftOpen:
      "The store was shut down before the action finished, and continues it when it is opened again; request it then with its idempotency key."
    }
  }
}
