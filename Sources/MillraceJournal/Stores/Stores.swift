public import Millrace

/// The stores of many keys: an order, a customer, a device each, of which few are in memory.
///
/// ```swift
/// let orders = try await Stores<OrderID, Order>.open(
///   name: "orders", journal: journal, initial: { _ in .init() }, interactor: { Order(id: $0, payments: payments) })
/// orders.send(.pay, to: id, key: "order \(id) request 17")
/// let total = try await orders.request(.total, of: id, returning: { $0.total })
/// ```
///
/// Each key has a log of its own in the journal, and everything that a `Store` promises holds for each key: the order of its actions, their outcomes,
/// idempotency keys and durability. The store of a key is made at its first use and given to no caller; each method names the key.
///
/// **Keys** are told apart by the UTF-8 of their descriptions, and not by `==`. `Key(description)` has to give the key back.
///
/// **Hibernation.** A key is *idle* if no action of it is open, no handler runs, no caller waits for it and no sequence observes it. An idle key leaves the
/// memory when it has not been used for ``StoresLimits/idle``, or when another key needs its place. The next use opens it from its log. A send during a
/// hibernation waits for its end: it is neither lost, nor handled twice.
///
/// **Feedbacks.** A key takes the feedbacks whose work its state asks for, which are those of ``KeyFeedback``. A key stays in memory while an effect runs, or a timer is due within a minute. A
/// timer opens a key that hibernates; so does, after a crash or a shutdown, a query whose effect had not returned. The journal has the time in the batch of
/// the record that changes it. An effect that has returned runs again for the same query only when the key is opened for something else.
///
/// **Order.** Actions of one task to one key are taken up in their order, those that are sent before the key is open too. Keys are independent of each other.
///
/// **Fencing.** The process claims the partitions of the name. When another process claims them, the next append to any key of this one fails and names the
/// other process (``JournalError/newcomer``). The stores of all keys end then: an incident names the other process, ``run(drainFor:)`` returns, and later
/// actions are rejected as `Rejection.journal`.
///
/// **Several processes.** Processes that open the stores of one name with an `address`, in a journal that they share (``SharedJournal``), divide the partitions:
/// each has those of which it is the first choice among the processes that live. A process that joins takes exactly its own ones, each once the actions of the
/// partition's keys have ended in the earlier process, for at most half a lease; runs that are handled again continue in the new one. When a process ends
/// without a ``shutdown(drainFor:)``, the others take its partitions once its lease has ended. An action for a key of another process is rejected as
/// `Rejection.notOwner`, with the address of that, and ``owner(of:)`` has it too. A process that opens the stores with the address of another one, such as its
/// own former life, replaces that one and takes its partitions at once; the stores of the other one end, if it still runs.
///
/// **Lifetime.** When the last reference to it is released, its stores are released, as a `Store` is. End it by ``shutdown(drainFor:)``.
public final class Stores<Key: LosslessStringConvertible & Hashable & Sendable, I: Interactor>: Sendable {
  let core: StoresCore<Key, I>
  /// Opens the keys that have to be open, at the beginning.
  let waking: Task<Void, Never>?
  /// Own a part of the partitions; nil if this process owns all.
  let sharing: SharingTasks?

  init(_ core: StoresCore<Key, I>, waking: Task<Void, Never>? = nil, sharing: SharingTasks? = nil) {
    self.core = core
    self.waking = waking
    self.sharing = sharing
  }

  deinit {
    waking?.cancel()
    sharing?.cancel()
    core.refuseMore()
    let released = core.registry.withLock { $0.takeAll() }
    withExtendedLifetime(released) {}
  }

  func journalKey(_ key: Key) -> JournalKey { JournalKey(key.description, of: core.name) }

  // MARK: Actions

  /// Sends an action to the store of a key; never suspends.
  ///
  /// If the key is in memory, this is as `Store.send`. Otherwise the action is kept until the key is open, which happens on another thread, and is
  /// taken up behind those that were sent to the key before.
  ///
  /// **Errors.** None: how the action ended is the receipt's `outcome`. If the key cannot be opened, that is `Rejection.journal`, and the next use tries
  /// again; beyond ``StoresLimits/waiting`` keys that wait it is `Rejection.full`, and after ``shutdown(drainFor:)`` `Rejection.shuttingDown`.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - id: The key of the store.
  ///   - context: The trace, as in `Store.send`, like the other parameters.
  ///   - tree: Waits for the action, and cancels it.
  ///   - key: The idempotency key; those of two stores are independent.
  ///   - confirming: Whether to append a mark to the log if the decision commits nothing.
  @discardableResult
  public func send(
    _ action: I.Action, to id: Key, context: TraceContext? = nil, in tree: RunTree? = nil, key: String? = nil,
    confirming: Bool = false
  ) -> Receipt {
    core.send(action, to: journalKey(id), context: context, in: tree, key: key, confirming: confirming)
  }

  /// Sends an action to the store of a key as soon as the key is open, and the store has room for an action that waits.
  ///
  /// **Cancellation** ends the wait, and the action was never accepted.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - id: The key of the store.
  ///   - context: The trace, as in `Store.submit`, like the other parameters.
  ///   - tree: Waits for the action once that is accepted, and cancels it.
  ///   - key: The idempotency key.
  ///   - confirming: Whether to append a mark to the log if the decision commits nothing.
  /// - Throws: `CancellationError` when the task is cancelled before; `StoreError` if the key cannot be opened, or after a shutdown.
  @discardableResult
  public func submit(
    _ action: I.Action, to id: Key, context: TraceContext? = nil, in tree: RunTree? = nil, key: String? = nil,
    confirming: Bool = false
  ) async throws -> Receipt {
    try await core.withStore(of: journalKey(id)) {
      try await $0.submit(action, context: context, in: tree, key: key, confirming: confirming)
    }
  }

  /// Sends an action to the store of a key, waits until it has finished, and returns the answer that `answer` reads from the state of that moment.
  ///
  /// Once the key is open this is as `Store.request`.
  ///
  /// **Cancellation** before the key is open sends nothing; later as `Store.request` says.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - id: The key of the store.
  ///   - context: The trace, as in `Store.request`, like the other parameters.
  ///   - tree: Waits for the action once that is accepted, and cancels it.
  ///   - key: The idempotency key.
  ///   - confirming: Whether to append a mark to the log if the decision commits nothing.
  ///   - waitingForRoom: Whether to wait while the store has no room for another action, in place of a rejection.
  ///   - cancelsAction: Whether cancelling the calling task cancels the action.
  ///   - answer: Called with the store's lock, on any thread, if the action finishes.
  /// - Returns: The answer.
  /// - Throws: `StoreError` if the key cannot be opened, or the action did not finish; `CancellationError` if the calling task was cancelled.
  public func request<Answer: Sendable>(
    _ action: I.Action, of id: Key, context: TraceContext? = nil, in tree: RunTree? = nil, key: String? = nil,
    confirming: Bool = false, waitingForRoom: Bool = false, cancelsAction: Bool = false,
    returning answer: @escaping @Sendable (I.State) -> Answer
  ) async throws -> Answer {
    try await core.withStore(of: journalKey(id)) {
      try await $0.request(
        action, context: context, in: tree, key: key, confirming: confirming, waitingForRoom: waitingForRoom,
        cancelsAction: cancelsAction, returning: answer)
    }
  }

  /// Cancels everything that was accepted for a key so far, waiting or running, as `Store.cancelAll`.
  ///
  /// A key that is not in memory is opened first. When this returns, the ends of the actions and their closings are durable: no crash opens one of the
  /// actions again.
  ///
  /// **Cancellation** of the calling task ends the wait for the opening, and cancels nothing. Later it has no effect.
  ///
  /// - Throws: `StoreError` if the key cannot be opened, or if the journal fails, so that it is not known which ends are stored; `CancellationError`.
  public func cancelAll(of id: Key) async throws {
    try await core.withStore(of: journalKey(id)) { store in
      store.cancelAll()
      try await store.waitUntilDurable()
    }
  }

  /// Cancels everything of a plan's key that was accepted for a key so far, as `Store.cancel(key:)`.
  ///
  /// It returns when the ends are durable, as ``cancelAll(of:)``, and cancellation of the calling task is as there.
  ///
  /// - Parameters:
  ///   - key: The key of the plans.
  ///   - id: The key of the store.
  /// - Throws: `StoreError` if the key cannot be opened, or if the journal fails, so that it is not known which ends are stored; `CancellationError`.
  public func cancel(key: some Hashable & Sendable, of id: Key) async throws {
    try await core.withStore(of: journalKey(id)) { store in
      store.cancel(key: key)
      try await store.waitUntilDurable()
    }
  }
}
