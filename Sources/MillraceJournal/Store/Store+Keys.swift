public import Millrace

extension Store where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  /// Gives the store an action that is done once, even if it is sent several times with the same key; otherwise as ``send(_:)``.
  ///
  /// **Idempotency.** While the first action of the key is open, a later action waits for it and gets its outcome; the two actions are
  /// not compared. Once the first one has finished, or its decision has rejected it, a later one gets that outcome and the revisions at once,
  /// from a table that survives a crash with the log; the error of a rejection is a ``RememberedError`` after one. After any other outcome the
  /// key is free, so a failed action may be sent again. A key is forgotten after 24 hours, and when 100,000 later ones
  /// have ended (``JournalOptions/rememberedKeys``, ``JournalOptions/rememberedTime``).
  ///
  /// ``Run/idempotencyKey`` is the key in the handler of the action, so a gateway can pass it on.
  ///
  /// **Cancellation.** The receipt cancels this action alone; if it is the first of its key, the later ones get its outcome.
  ///
  /// **Backpressure.** As many actions may wait for the first of their keys as ``StoreConfiguration/Limits`` lets wait; more are
  /// rejected as ``Rejection/full``.
  ///
  /// **Errors.** A store without a journal rejects the action as ``Rejection/journal(_:)``.
  ///
  /// - Parameters:
  ///   - action: the action.
  ///   - key: the key, which the client of the service has made, and sends again when it repeats a request.
  ///   - confirming: whether to append a mark to the log if the decision commits nothing; see ``send(_:confirming:)``.
  @discardableResult
  public nonisolated func send(_ action: I.Action, key: String, confirming: Bool = false) -> Receipt {
    send(action, JournaledSend(key: key, confirms: confirming))
  }

  /// Gives the store an action as soon as it has room for one that waits, and does it once for its key.
  ///
  /// Otherwise as ``submit(_:)`` and ``send(_:key:confirming:)``.
  ///
  /// - Throws: `CancellationError` when the task is cancelled while it waits; ``StoreError`` when the store is shut down before.
  @discardableResult
  public nonisolated func submit(_ action: I.Action, key: String, confirming: Bool = false) async throws -> Receipt {
    try await submit(action, JournaledSend(key: key, confirms: confirming))
  }

  /// Gives the store an action whose outcome says that the store was still the writer of its log; otherwise as ``send(_:)``.
  ///
  /// An action that commits nothing appends nothing, so a store that another one has taken over would answer it from a state that is
  /// out of date. With `confirming` such an action appends a mark first, and fails if another store has taken the log over.
  ///
  /// **Errors.** A store without a journal rejects the action as ``Rejection/journal(_:)``.
  ///
  /// - Parameters:
  ///   - action: the action.
  ///   - confirming: whether a decision that commits nothing appends a mark.
  @discardableResult
  public nonisolated func send(_ action: I.Action, confirming: Bool) -> Receipt {
    send(action, JournaledSend(key: nil, confirms: confirming))
  }

  /// Gives the store an action as soon as it has room for one that waits, and confirms its decision.
  ///
  /// Otherwise as ``submit(_:)`` and ``send(_:confirming:)``.
  ///
  /// - Throws: `CancellationError` when the task is cancelled while it waits; ``StoreError`` when the store is shut down before.
  @discardableResult
  public nonisolated func submit(_ action: I.Action, confirming: Bool) async throws -> Receipt {
    try await submit(action, JournaledSend(key: nil, confirms: confirming))
  }
}
