/// The receipt of ``Store/send(_:)``: the outcome of the action, and the means to cancel it.
///
/// A receipt may be discarded, which changes nothing for the action. It does not hold the store. Of an action that settled at
/// once it is four words on the stack.
@frozen
public struct Receipt: Sendable {
  /// The action's id in its store.
  public let id: ActionID

  /// The progress of the action when the receipt was made.
  @usableFromInline let progress: Progress

  @usableFromInline
  @frozen
  enum Progress: Sendable {
    /// Finished at once, with the revisions of the first and the last commit; the first is 0 without a commit.
    case finished(first: Int, last: Int)
    /// Finished at once, and the gate withholds the outcome until the last revision is durable.
    case withheld(by: DurabilityGate, first: Int, last: Int)
    /// Not finished when it was sent.
    case open(Ticket)
    /// Rejected because of this limit of the store.
    case full(FullLimit)
    /// Not sent, because its sender was cancelled before.
    case unsent
  }

  @inlinable var ticket: Ticket? {
    if case .open(let ticket) = progress { ticket } else { nil }
  }

  @inlinable
  init(id: ActionID, _ progress: Progress) {
    self.id = id
    self.progress = progress
  }

  @inlinable
  init(_ ticket: Ticket) {
    self.init(id: ticket.id, .open(ticket))
  }

  static let unsent = Receipt(id: .refused(0), .unsent)

  /// The receipt of an action that no store has accepted.
  package static func refused(_ reason: Rejection) -> Receipt {
    let ticket = Ticket(id: .refused(0), at: nil, lineage: nil)
    ticket.willEnd()
    _ = ticket.end(.rejected(reason), lastRevision: 0, cancelsTask: false)
    return Receipt(ticket)
  }

  /// The reason for refusing the request of a run to its own store with the key of an open action.
  static let mayWaitForItself =
    "A run that waits for the open action of a key may wait for itself; use another key, or `send` the action and do not wait for it."

  /// The reason for refusing the request of a run to its own store.
  static let needsTimeout =
    "A run that waits for an action of its own store may wait for itself; give the plan of the action a `timeout`, or `send` the "
    + "action and do not wait for it."

  /// Whether the action had finished when this was made, and its outcome waits for nothing.
  @inlinable var hasFinishedAtOnce: Bool {
    if case .finished = progress { true } else { false }
  }

  /// The outcome of the action, as soon as it has ended: exactly one, at shutdown and release of the store too.
  ///
  /// By then everything the action changed is committed, its closing mutation included. Cancelling the task that waits here
  /// neither cancels the action nor ends the wait.
  public var outcome: Outcome {
    get async {
      switch progress {
      case .open(let ticket): await ticket.outcome
      case .finished: .finished
      case .withheld(let gate, _, let last):
        if let error = await gate.waitUntilDurable(revision: last) { .failed(error) } else { .finished }
      case .full(let limit): .rejected(.full(at: limit))
      case .unsent: .cancelled
      }
    }
  }

  /// The outcome of an action that has ended; nil as long as it has not, or a journal holds it back.
  package var outcomeNow: Outcome? {
    switch progress {
    case .open(let ticket): ticket.outcomeNow
    case .finished: .finished
    case .withheld(let gate, _, let last): gate.durableRevision < last ? nil : .finished
    case .full(let limit): .rejected(.full(at: limit))
    case .unsent: .cancelled
    }
  }

  /// The revision of the first state that this action led to, as soon as that is committed; nil when it ended without a commit.
  ///
  /// With a journal it waits until the commit is durable, and is nil if the journal fails before.
  ///
  /// Cancelling the task that waits ends neither the wait nor the action; ``cancel()`` does both.
  public var firstCommit: Int? {
    get async {
      switch progress {
      case .open(let ticket): return await ticket.firstCommit
      case .finished(let first, _) where first > 0: return first
      case .withheld(let gate, let first, _) where first > 0:
        return await gate.waitUntilDurable(revision: first) == nil ? first : nil
      case .finished, .withheld, .full, .unsent: return nil
      }
    }
  }

  /// The revision of the last state that this action led to, once it has ended; nil when it committed nothing.
  ///
  /// Cancelling the task that waits ends neither the wait nor the action; ``cancel()`` does both.
  public var lastRevision: Int? {
    get async {
      switch progress {
      case .open(let ticket): return await ticket.finalRevision
      case .finished(let first, let last): return first > 0 ? last : nil
      case .withheld(let gate, let first, let last):
        _ = await gate.waitUntilDurable(revision: last)
        return first > 0 ? last : nil
      case .full, .unsent: return nil
      }
    }
  }

  /// Cancels the action, whether it waits or runs; does nothing once that has ended.
  ///
  /// When this returns the action has its outcome and nothing of it is committed any more, even if its handler ignores
  /// cancellation and continues. It waits for at most the step in progress: one `decide` with its commits, or one emit. Called
  /// from inside a commit of the action it takes effect right after that commit.
  public func cancel() {
    ticket?.cancel()
  }
}

/// The receipt of ``Store/send(contentsOf:)``: the outcomes of the batch, and the means to cancel its actions.
///
/// It keeps something only of those actions that did not finish at once.
public struct BatchReceipt: Sendable {
  /// The number of actions in the batch.
  public private(set) var count = 0

  /// The actions that had not finished when they were sent, with their indices in the batch.
  private var open: [(index: Int, receipt: Receipt)] = []

  @usableFromInline
  init() {}

  /// Counts actions that finished at once.
  @usableFromInline
  mutating func add(finished: Int) {
    count += finished
  }

  @usableFromInline
  mutating func add(_ receipt: Receipt) {
    open.append((count, receipt))
    count += 1
  }

  /// The outcomes in the order of the batch, as soon as all actions have ended.
  ///
  /// Cancelling the task that waits ends neither the wait nor an action; ``cancel()`` does both.
  public var outcomes: [Outcome] {
    get async {
      var outcomes = Array(repeating: Outcome.finished, count: count)
      for (index, receipt) in open { outcomes[index] = await receipt.outcome }
      return outcomes
    }
  }

  /// Cancels each action that has not ended, as ``Receipt/cancel()`` does.
  public func cancel() {
    for (_, receipt) in open { receipt.cancel() }
  }
}
