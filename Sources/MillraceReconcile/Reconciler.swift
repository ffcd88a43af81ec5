public import Millrace

/// Brings the present state to the desired one: it derives ordered operations, and performs them one at a time.
///
/// ```swift
/// let router = Reconciler<ReconciledPath<Screen>>(initial: [], timeout: .seconds(3), attempts: 3) { operation in
///   try await terminal.perform(operation)
/// }
/// try await router.run(following: store.values(of: \.route))
/// ```
///
/// **Order.** One operation is under way at most, always. Before each attempt the newest desire that has arrived is looked
/// at: the next operations lead from the acknowledged state to that desire. An operation that is under way when another
/// desire comes finishes, since its end says the present state.
///
/// **Failure.** `perform` returns once the operation was performed, and throws if it was not, or if that is not known; it may
/// be called again with the same operation, so it does the missing part. An attempt that throws, or takes longer than the
/// timeout, is followed by another one after a rest; a rest ends at once when another operation comes next by a new desire.
/// After the last attempt nothing more is tried until a different desire comes, which starts over.
///
/// **Timeout.** When time is up the task of `perform` is cancelled. One that ignores this holds up everything that follows,
/// for nothing is begun beside it; the failure is reported at once. If it returns after all, the operation counts as
/// performed. Its error is not reported then.
///
/// **Lifetime.** A reconciler holds no task between its runs, and keeps the present state for the next one.
public final class Reconciler<Desired: Reconcilable>: Sendable {
  private let state: Lock<ReconcilerState<Desired>>
  private let waiter = Waiter()
  private let timeout: Duration?
  private let clock: any Clock<Duration>
  private let problem: ReconcilerError?
  private let report: @Sendable (Report) -> Void
  private let performer: @Sendable (Desired.Operation) async throws -> Void

  /// Creates a reconciler, which does nothing until it is run.
  ///
  /// - Parameters:
  ///   - initial: the present state of the world.
  ///   - timeout: the longest time of an attempt; nil is without a limit.
  ///   - attempts: the largest number for an operation, with the first one.
  ///   - backoff: the rests between the attempts.
  ///   - clock: the clock of timeouts and rests.
  ///   - report: called with the result of each operation, one call at a time, in order, in the task of the run and with no lock
  ///     held. By default one line on standard error for each operation that was given up.
  ///   - perform: performs an operation, in a task of its own below the run's; it returns when that is done. It is not called
  ///     again before it has returned.
  public init(
    initial: Desired, timeout: Duration? = nil, attempts: Int = 1, backoff: Plan.Backoff = .exponential(),
    clock: any Clock<Duration> = ContinuousClock(), report: (@Sendable (Report) -> Void)? = nil,
    perform: @escaping @Sendable (Desired.Operation) async throws -> Void
  ) {
    state = Lock(ReconcilerState(initial: initial, attempts: attempts, backoff: backoff))
    self.timeout = timeout
    self.clock = clock
    self.report = report ?? Report.writeIfGivenUp
    performer = perform
    problem = Self.problem(timeout: timeout, attempts: attempts, backoff: backoff)
  }

  /// The reason for which these settings cannot be used, or nil.
  private static func problem(timeout: Duration?, attempts: Int, backoff: Plan.Backoff) -> ReconcilerError? {
    if let timeout, timeout <= .zero { return ReconcilerError(.invalidTimeout) }
    if attempts < 1 { return ReconcilerError(.invalidAttempts) }
    return backoff.problem == nil ? nil : ReconcilerError(.invalidBackoff)
  }

  /// The present value: the initial value, and every operation that was acknowledged since, in all runs.
  ///
  /// An operation that failed is not in it, although a part of it may be so.
  public var acknowledged: Desired { state.withLock { $0.acknowledged } }

  /// Follows desires until they end and the newest one is reached or given up.
  ///
  /// It begins with the state that is ``acknowledged``. A desire that an earlier run gave up is tried again.
  ///
  /// **Order.** Desires are taken as fast as they come, also while an operation is under way; only the newest one counts.
  ///
  /// **Cancellation.** Cancels the operation under way, begins no other, and returns when that one and the sequence of desires
  /// have returned. An operation that returns all the same is acknowledged.
  ///
  /// - Parameter desires: the desired states, over time: `store.values(of: \.route)` for one. It ends when its task is cancelled.
  /// - Throws: ``ReconcilerError`` at once when the reconciler runs already, or was made with a timeout, attempts or a backoff
  ///   that say nothing. A failed operation is not an error of the run: it is reported.
  public func run(following desires: some AsyncSequence<Desired, Never> & Sendable) async throws(ReconcilerError) {
    if let problem { throw problem }
    guard state.withLock({ $0.begin() }) else { throw ReconcilerError(.alreadyRunning) }
    await withTaskCancellationHandler {
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          for await desire in desires { self.tell { $0.desired(desire) } }
          self.tell { $0.desiresEnded() }
        }
        await work()
      }
    } onCancel: {
      waiter.signal()
    }
    state.withLock { $0.end() }
  }

  /// The loop of a run: one step after the other.
  private func work() async {
    while true {
      if Task.isCancelled { cancel() }
      switch state.withLock({ $0.step() }) {
      case .perform(let attempt): await perform(attempt.operation)
      case .rest(let duration): await rest(duration)
      case .wait: await waiter.wait {}
      case .end: return
      }
    }
  }

  /// The end of one of the two tasks of an attempt.
  private enum Ending: Sendable {
    case returned, threw(any Error), timeIsUp, cancelled
  }

  /// Performs an operation, cancels it when its time is up, and returns when it has returned.
  private func perform(_ operation: Desired.Operation) async {
    await withTaskGroup(of: Ending.self) { group in
      group.addTask {
        do {
          try await self.performer(operation)
          return .returned
        } catch {
          return .threw(error)
        }
      }
      if let timeout {
        group.addTask {
          try? await self.clock.sleep(for: timeout.bounded)
          return Task.isCancelled ? .cancelled : .timeIsUp
        }
      }
      for await ending in group {
        switch ending {
        case .returned: tell(state.withLock { $0.performed() })
        case .threw(let error): Task.isCancelled ? cancel() : fail(error)
        case .timeIsUp: tell(state.withLock { $0.timedOut() })
        case .cancelled: break
        }
        group.cancelAll()
      }
    }
  }

  /// Rests for so long, or until the rest is not wanted any more.
  private func rest(_ duration: Duration) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        try? await self.clock.sleep(for: duration.bounded)
        if !Task.isCancelled { self.tell { $0.restOver() } }
      }
      while !Task.isCancelled, state.withLock({ $0.isResting }) { await waiter.wait {} }
      group.cancelAll()
    }
  }

  private func fail(_ error: any Error) {
    for report in state.withLock({ $0.failed(error) }) { tell(report) }
  }

  private func cancel() {
    tell(state.withLock { $0.cancelled() })
  }

  private func tell(_ report: Report?) {
    if let report { self.report(report) }
  }

  /// An event from beside the loop, which looks again if there is something to look at.
  private func tell(_ event: (inout ReconcilerState<Desired>) -> Bool) {
    if state.withLock({ event(&$0) }) { waiter.signal() }
  }
}
