extension Store {
  /// Sends an action to the store, waits until it has finished, and returns the answer that `answer` reads from the state of that moment.
  ///
  /// ```swift
  /// let artifact = try await store.request(.fetch("a"), returning: { $0.artifacts["a"] })
  /// try await store.request(.put("a", body), waitingForRoom: true, returning: { _ in })
  /// ```
  ///
  /// **Order.** `answer` is called once, in the step in which the action ends: the step that decides it, the step in which its handler
  /// returns, or, for an action that joined a shared run, that run's end. The state holds everything the action committed, and nothing
  /// that was committed after its end. The outcome is visible only after that. Of a run that many actions share, at most 64 end
  /// in one step. The answer to an action whose key has a result, or waits for the first action of the key, is read from the state of
  /// the step that gives it the outcome: it has the commits of the first action, and may have later ones.
  ///
  /// **Isolation.** The sender's thread may decide and reduce, as for ``send(_:)``. The action passes the interceptors.
  ///
  /// **Cancellation.** A task that is cancelled already sends nothing. If it is cancelled while it waits for room, the action is never
  /// accepted. If it is cancelled while it waits for the answer, the call throws at once and the action continues, or is cancelled first
  /// if `cancelsAction` is true.
  ///
  /// **Backpressure.** Beyond the limits the action is rejected as ``Rejection/full(_:)``. With `waitingForRoom` the call suspends until there
  /// is room, as ``submit(_:context:in:key:confirming:)``.
  ///
  /// **Deadline.** The timeout of the action's own ``Plan``. Inside a run of the same store the plan must have one, because the run may
  /// hold what the action waits for; without one the action is rejected as ``Rejection/notSent(_:)``. Through other stores too
  /// a run may wait for itself: each action waits for the turn, a permit or the shared run of one that waits in a request for it. If no
  /// plan on the circle has a timeout, the request that closes it fails as ``StoreError/Code/deadlock``, and its action is cancelled.
  ///
  /// The store is held while this is suspended.
  ///
  /// - Parameters:
  ///   - action: the action.
  ///   - context: the trace, as in ``send(_:context:in:key:confirming:)``, like the next three parameters.
  ///   - tree: waits for the action once that is accepted, and cancels it.
  ///   - key: the idempotency key.
  ///   - confirming: whether to append a mark to the log if the decision commits nothing.
  ///   - waitingForRoom: whether to wait while the store has no room for another action, in place of a rejection.
  ///   - cancelsAction: whether cancelling the calling task cancels the action.
  ///   - answer: quick and free of effects; it is called with the store's lock, on any thread, and not at all if the action does not
  ///     finish. It is released with the answer, or as soon as the calling task is cancelled.
  /// - Returns: the answer.
  /// - Throws: ``StoreError`` with the outcome if the action did not finish, with ``StoreError/Code/shutDown`` if the store is shut down
  ///   while the call waits for room, `CancellationError` if the calling task was cancelled.
  @inlinable
  public nonisolated func request<Answer: Sendable>(
    _ action: I.Action, context: TraceContext? = nil, in tree: RunTree? = nil, key: String? = nil,
    confirming: Bool = false, waitingForRoom: Bool = false, cancelsAction: Bool = false,
    returning answer: @escaping @Sendable (I.State) -> Answer
  ) async throws -> Answer {
    try await core.request(
      action, context: context, in: tree, .demands(key: key, confirming: confirming), waitingForRoom: waitingForRoom,
      cancelsAction: cancelsAction, returning: answer)
  }
}
