/// The receipt of ``Store/send(_:)``: the outcome of the action, and the means to cancel it.
///
/// A receipt may be discarded, which changes nothing for the action. It does not hold the store. Of an action that settled at
/// once it is four words on the stack.
@frozen
public struct Receipt: Sendable {
  /// The action's id in its store.
  public let id: ActionID

  /// The ticket of an action that had not finished when it was sent, or the gate that holds the outcome back; nil without both.
  @usableFromInline let source: (any AnyObject & Sendable)?

  /// Revisions of the first and the last commit of an action without a ticket.
  ///
  /// A first one of 0 stands for no commit, -1 for an action that was rejected because the store was full, -2 for one that was never
  /// sent; the least number stands for a ticket.
  @usableFromInline let first: Int
  @usableFromInline let last: Int

  @inlinable static var ofTicket: Int { .min }

  @inlinable var ticket: Ticket? {
    guard first == Receipt.ofTicket, let source else { return nil }
    return unsafeDowncast(source, to: Ticket.self)
  }

  /// The gate that holds the outcome back; nil if none does.
  private var gate: DurabilityGate? {
    guard first >= 0, let source else { return nil }
    return unsafeDowncast(source, to: DurabilityGate.self)
  }

  @inlinable
  init(id: ActionID, first: Int, last: Int) {
    self.id = id
    source = nil
    self.first = first
    self.last = last
  }

  /// The receipt of an action that finished at once, and whose outcome waits for the journal.
  ///
  /// - Parameters:
  ///   - id: the action's id.
  ///   - gate: the gate of the store.
  ///   - first: the revision of the first commit; 0 without one.
  ///   - last: the newest revision after the decision, which has to be durable.
  @inlinable
  init(id: ActionID, heldBy gate: DurabilityGate, first: Int, last: Int) {
    self.id = id
    source = gate
    self.first = first
    self.last = last
  }

  @inlinable
  init(_ ticket: Ticket) {
    id = ticket.id
    source = ticket
    first = Receipt.ofTicket
    last = 0
  }

  /// The receipt of an action that was rejected because the store was full.
  @inlinable
  init(full id: ActionID) {
    self.id = id
    source = nil
    first = -1
    last = -1
  }

  /// The receipt of an action that was not sent, because its sender was cancelled before.
  static let unsent = Receipt(id: .refused(0), first: -2, last: -2)

  /// The reason for refusing the request of a run to its own store with the key of an open action.
  static let mayWaitForItself =
    "A run that waits for the open action of a key may wait for itself; use another key, or `send` the action and do not wait for it."

  /// The reason for refusing the request of a run to its own store.
  static let needsTimeout =
    "A run that waits for an action of its own store may wait for itself; give the plan of the action a `timeout`, or `send` the "
    + "action and do not wait for it."

  /// Whether the action had finished when this was made, and its outcome waits for nothing.
  @inlinable var hasFinishedAtOnce: Bool { source == nil && first >= 0 }

  /// The outcome of the action, as soon as it has ended: exactly one, at shutdown and release of the store too.
  ///
  /// By then everything the action changed is committed, its closing mutation included. Cancelling the task that waits here
  /// neither cancels the action nor ends the wait.
  public var outcome: Outcome {
    get async {
      if let ticket { return await ticket.outcome }
      if let error = await gate?.waitUntilDurable(revision: last) { return .failed(error) }
      return outcomeWithoutTicket
    }
  }

  /// The outcome of an action that has ended; nil as long as it has not, or a journal holds it back.
  package var outcomeNow: Outcome? {
    if let ticket { return ticket.outcomeNow }
    if let gate, gate.durableRevision < last { return nil }
    return outcomeWithoutTicket
  }

  private var outcomeWithoutTicket: Outcome {
    first >= 0 ? .finished : first == -1 ? .rejected(.full) : .cancelled
  }

  /// The revision of the first state that this action led to, as soon as that is committed; nil when it ended without a commit.
  ///
  /// With a journal it waits until the commit is durable, and is nil if the journal fails before.
  ///
  /// Cancelling the task that waits ends neither the wait nor the action; ``cancel()`` does both.
  public var firstCommit: Int? {
    get async {
      if let ticket { return await ticket.firstCommit }
      if first > 0, await gate?.waitUntilDurable(revision: first) != nil { return nil }
      return first > 0 ? first : nil
    }
  }

  /// The revision of the last state that this action led to, once it has ended; nil when it committed nothing.
  ///
  /// Cancelling the task that waits ends neither the wait nor the action; ``cancel()`` does both.
  public var lastRevision: Int? {
    get async {
      if let ticket { return await ticket.finalRevision }
      _ = await gate?.waitUntilDurable(revision: last)
      return first > 0 ? last : nil
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

  /// The actions that had not finished when they were sent, with their places in the batch.
  private var open: [(place: Int, receipt: Receipt)] = []

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
      for (place, receipt) in open { outcomes[place] = await receipt.outcome }
      return outcomes
    }
  }

  /// Cancels each action that has not ended, as ``Receipt/cancel()`` does.
  public func cancel() {
    for (_, receipt) in open { receipt.cancel() }
  }
}
