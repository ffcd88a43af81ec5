/// The work for an event of a state machine, to be done after its lock was released.
struct WakeAction<Waiter> {
  /// The tasks to resume, in this order.
  var woken: [Waiter] = []
  /// The one to tell that it was cancelled, after those.
  var cancelled: Waiter?

  /// Nothing is left to do.
  static var none: Self { Self() }

  static func wake(_ waiters: [Waiter]) -> Self { Self(woken: waiters) }

  static func cancel(_ waiter: Waiter) -> Self { Self(cancelled: waiter) }
}

extension WakeAction: Sendable where Waiter: Sendable {}
extension WakeAction: Equatable where Waiter: Equatable {}

extension WakeAction where Waiter == Suspension<Void> {
  /// Resumes the tasks; never called with a lock held.
  func run() {
    for waiter in woken { waiter.resume(returning: ()) }
    cancelled?.resume(returning: nil)
  }
}
