/// A suspended task: it continues with a value, or is cancelled with nil.
@usableFromInline
typealias Suspension<Value> = CheckedContinuation<Value?, Never>

/// Suspends the calling task until it is resumed or cancelled.
///
/// `register` is called once, before the task suspends. It asks whether the task is cancelled already, and then has to resume the
/// suspension with nil; it asks with the lock that guards its registration, so that a thread that cancels the task and
/// looks there finds it. `cancel` may be called before, during or after `register`, on any thread, and twice; after
/// it the suspension has to be resumed, if it was registered.
///
/// A cancellation may come after the task was asked whether it is cancelled, and call `cancel` before the suspension is
/// registered. The task is cancelled by then, so it is asked once more behind that.
func suspend<Value: Sendable>(
  _ register: (Suspension<Value>, _ isCancelled: () -> Bool) -> Void,
  onCancel cancel: @Sendable () -> Void
) async throws(CancellationError) -> Value {
  let value: Value? = await withTaskCancellationHandler {
    await withCheckedContinuation {
      register($0) { Task.isCancelled }
      if Task.isCancelled { cancel() }
    }
  } onCancel: {
    cancel()
  }
  guard let value else { throw CancellationError() }
  return value
}
