/// One call of the body of a step: its key for gateways, and its time.
public struct Step: Sendable {
  /// The name of the step.
  public let name: String

  /// The number of this call, counted from 1 in each attempt of the handler; above 1 only with a ``StepRetry``.
  public let attempt: Int

  @usableFromInline let run: any RunEnvironment

  /// The time until the call's timeout; nil without one.
  @usableFromInline let timeout: (@Sendable () -> Duration)?

  @inlinable
  init(name: String, attempt: Int, run: any RunEnvironment, timeout: (@Sendable () -> Duration)? = nil) {
    self.name = name
    self.attempt = attempt
    self.run = run
    self.timeout = timeout
  }

  /// A text that is the same in every call of this step of the run, also after a crash, and for no other step of any store of the journal:
  /// for gateways that do the same request only once.
  ///
  /// It is the names of the log, which are the key of the store, behind the name of the stores if it is one of many; then the key that the
  /// sender gave, or that the store has made; and then the name of the step. Each but the last stands behind its length in bytes, as in
  /// `6.orders/2.17/7.request.charge`. If that has more than 255 bytes, it is its hexadecimal SHA-256. A store without a journal has no
  /// name, and makes each run's key at random.
  ///
  /// An action that is sent again with its idempotency key has the same step keys again; what is to be done anew needs a new key. A run
  /// that was taken up by a version of the library whose keys had no names of logs keeps its keys.
  public var idempotencyKey: String { run.key.text(ofStep: name) }

  /// The time until this call is out of time, for gateways to pass on: the shorter one of its ``StepRetry`` and of ``Run/timeRemaining``;
  /// nil without either.
  public var timeRemaining: Duration? {
    guard let timeout else { return run.timeRemaining }
    return run.timeRemaining.map { min($0, timeout()) } ?? timeout()
  }
}

/// The calls of a step's body.
@usableFromInline
struct StepCalls<Value: Sendable>: Sendable {
  let name: String
  let retry: StepRetry
  let run: any RunEnvironment
  let body: @Sendable (Step) async throws -> Value

  @usableFromInline
  init(
    name: String, retry: StepRetry, run: any RunEnvironment, body: @escaping @Sendable (Step) async throws -> Value
  ) {
    self.name = name
    self.retry = retry
    self.run = run
    self.body = body
  }

  /// The value of the first call that returns one.
  ///
  /// - Throws: the error of the last call.
  @usableFromInline
  func value() async throws -> Value {
    var attempt = 1
    while true {
      do {
        return try await call(attempt)
      } catch {
        if Task.isCancelled || error is CancellationError || run.isCut { throw error }
        guard let delay = retry.delay(after: error, attempt: attempt) else { throw error }
        try await run.clock.sleep(for: delay)
        if run.isCut { throw CancellationError() }
        attempt += 1
      }
    }
  }

  private func call(_ attempt: Int) async throws -> Value {
    guard let timeout = retry.timeout else {
      return try await body(Step(name: name, attempt: attempt, run: run))
    }
    return try await call(attempt, within: timeout, on: run.clock)
  }

  /// Calls the body in a task that is cancelled when the time is over; a value that it still returns counts.
  private func call(_ attempt: Int, within timeout: Duration, on clock: some Clock<Duration>) async throws -> Value {
    let end = clock.now.advanced(by: timeout.bounded)
    let step = Step(name: name, attempt: attempt, run: run) { max(clock.now.duration(to: end), .zero) }
    return try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { try await body(step) }
      group.addTask {
        try await clock.sleep(until: end, tolerance: nil)
        return nil
      }
      defer { group.cancelAll() }
      if let value = try await group.next() ?? nil { return value }
      group.cancelAll()
      if let value = try? await group.next() ?? nil { return value }
      throw StepFailure.timedOut(name, after: timeout)
    }
  }
}
