/// A suspended task; resumed with a value it goes on, resumed with nil it was cancelled.
@usableFromInline
typealias Suspension<Value> = CheckedContinuation<Value?, Never>

/// Suspends the calling task until it is resumed or cancelled.
///
/// `register` is called once, before the task suspends, and is told whether the task is cancelled already; it then has
/// to resume the suspension with nil. `cancel` may be called before, during or after `register`, on any thread; after it
/// the suspension has to be resumed, if it was registered. A `register` that looks at its second argument, and a
/// `cancel`, under the same lock miss no cancellation: it is flagged before `cancel` is called, so whichever of the two
/// comes second sees the other.
func suspend<Value: Sendable>(
  _ register: (Suspension<Value>, _ isCancelled: Bool) -> Void,
  onCancel cancel: @Sendable () -> Void
) async throws(CancellationError) -> Value {
  let value: Value? = await withTaskCancellationHandler {
    await withCheckedContinuation { register($0, Task.isCancelled) }
  } onCancel: {
    cancel()
  }
  guard let value else { throw CancellationError() }
  return value
}
