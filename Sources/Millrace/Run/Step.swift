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

  /// A text that is the same in every call of this step of the run, also after a crash, and for no other step: for gateways that do the
  /// same request only once.
  ///
  /// It is the length of ``Run/idempotencyKey``, that key and the name of the step, with points between them; the hexadecimal SHA-256 of
  /// that if it has more than 255 bytes. An action that is sent again with its idempotency key has the same step keys again; what is to be
  /// done anew needs a new key.
  public var idempotencyKey: String { StepKey.text(of: name, in: run.idempotencyKey) }

  /// The time until this call is out of time, for gateways to pass on: the shorter one of its ``StepRetry`` and of ``Run/timeRemaining``;
  /// nil without either.
  public var timeRemaining: Duration? {
    guard let timeout else { return run.timeRemaining }
    return run.timeRemaining.map { min($0, timeout()) } ?? timeout()
  }
}

/// The idempotency keys of steps.
enum StepKey {
  /// The largest number of bytes.
  static var longest: Int { 255 }

  /// The key of a step in the run with this key.
  static func text(of step: String, in run: String) -> String {
    let text = "\(run.utf8.count).\(run).\(step)"
    return text.utf8.count <= longest ? text : SHA256.hexadecimal(of: text.utf8)
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
      throw StepError.timedOut(name, after: timeout)
    }
  }
}
