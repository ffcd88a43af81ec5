/// Steps that wait: for a time, and for a state.
extension Run {
  /// Returns when a duration has passed since this sleep was first reached.
  ///
  /// ```swift
  /// try await run.sleep("grace", for: .seconds(3_600))
  /// ```
  ///
  /// **Durability.** With a journal, and a plan whose recovery is ``Recovery/handleAgain``, the end of the sleep is a wall time that is
  /// stored when the sleep is first reached, and durable before this returns. A run that is handled again sleeps the rest. Otherwise it is
  /// an ordinary sleep on the store's clock; further attempts of the plan sleep the rest of it.
  ///
  /// **Time.** A stored end is one of ``StoreConfiguration/wallTime``, which is read again after at most a minute on the store's clock: this
  /// never returns early after the wall time was set back, and at most a minute late after it was set forward.
  ///
  /// **Cost.** The run keeps the turn of its key. If its steps are stored, it gives its slot and its permits back while it sleeps and no
  /// body of a step is out, and takes them again, behind the actions that wait for them, before this returns. Past
  /// ``StoreConfiguration/Limits/init(runsInFlight:actionsWaiting:queuedActions:runsResting:onOverflow:)`` of resting runs it keeps them.
  ///
  /// - Parameters:
  ///   - name: the name, as that of a `step`.
  ///   - duration: the time; zero or less returns as soon as the end is durable.
  /// - Throws: `CancellationError` if the handling is over or the calling task is cancelled, and ``StepError``.
  public func sleep(_ name: String, for duration: Duration) async throws {
    let entry = try await beginStep(name, .sleep)
    let sinks = stepSinks
    if try await answer(NoValue.self, to: name, .sleep) != nil {
      // It is over.
    } else if stepCoder == nil {
      try await sleep(name, for: duration, entry, on: clock)
    } else {
      let end = try await end(of: name, .sleep, in: duration, entry)
      if WallTime.rest(until: end, wallTime()) > .zero {
        try await rest(name, .sleep, until: end) { try await sleep(until: end, on: clock) }
      }
    }
    if isCut { throw CancellationError() }
    sinks?.hasValue(NoValue(), name)
  }

  /// Returns a value that the state has, now or later.
  ///
  /// ```swift
  /// let approval = try await run.wait("approval", timeout: .seconds(86_400)) { $0.approvals[order.id] }
  /// ```
  ///
  /// **Order.** The condition is judged when the wait is reached, and then at most once each time the store notifies observers: a value
  /// that comes and goes may be missed, so wait for facts that stay. It is called on any thread, also with the store's lock, and is quick
  /// and free of effects.
  ///
  /// **Durability.** With a journal, and a plan whose recovery is ``Recovery/handleAgain``, the value is durable when this returns, and a
  /// run that is handled again gets the stored value, though the state has moved on. The timeout is a wall time that is stored when the
  /// wait is first reached, as that of ``sleep(_:for:)``.
  ///
  /// **Cost.** Slot, permits and turn are as in ``sleep(_:for:)``. No commit judges conditions: between two steps the store judges up to 64.
  ///
  /// - Parameters:
  ///   - name: the name, as that of a `step`.
  ///   - timeout: the time after which the wait fails; nil sets no limit.
  ///   - condition: the value, or nil as long as there is none.
  /// - Throws: ``StepFailure`` when the time is over, with ``StepFailure/isTimeout``, which is stored and thrown each time; ``StepError``; and
  ///   `CancellationError` if the handling is over or the calling task is cancelled.
  public func wait<Value: Codable & Sendable>(
    _ name: String, timeout: Duration? = nil, for condition: @escaping @Sendable (I.State) -> Value?
  ) async throws -> Value {
    let entry = try await beginStep(name, .wait)
    if let entry, entry.result != nil { return try await value(of: entry, name) }
    var found = try await answer(Value.self, to: name, .wait)
    if found == nil { found = try await firstValue(condition, name, timeout, entry) }
    guard let found else {
      throw try await storeFailure(StepFailure.noValue(name, in: timeout ?? .zero), of: name, .wait)
    }
    try await storeValue(found, of: name, .wait, [])
    return found
  }

  /// The answer of a sink to a sleep or a wait, for which the run rests as it would otherwise.
  private func answer<Value: Codable & Sendable>(
    _ type: Value.Type, to name: String, _ kind: StoredStep.Kind
  ) async throws -> Value? {
    guard let sinks = stepSinks, sinks.answersSteps else { return nil }
    do {
      return try await rest(name, kind, until: nil) { try await sinks.answer(type, to: name) }
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw try await storeFailure(error, of: name, kind)
    }
  }

  /// Performs a sleep or a wait, during which the run has no slot, and a shutdown does not wait for it, if its steps are stored.
  private func rest<Value: Sendable>(
    _ name: String, _ kind: StoredStep.Kind, until end: Int64?, _ body: () async throws -> Value
  ) async throws -> Value {
    guard stepCoder != nil || stepSinks?.answersSteps == true else { return try await body() }
    if steps.enter(name, kind, until: end, attempt: attempt).beginsToRest { restBegins() }
    let result: Result<Value, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    if steps.leave(name, kind, attempt: attempt).mayLackSlot { await takeSlotAgain() }
    return try result.get()
  }

  /// The first value; nil if there is none in time.
  private func firstValue<Value: Sendable>(
    _ condition: @escaping @Sendable (I.State) -> Value?, _ name: String, _ timeout: Duration?, _ entry: RunSteps.Entry?
  ) async throws -> Value? {
    // First, because the end may have passed while no process had the store, and because it costs less.
    if let value = condition(try await state) { return value }
    guard let timeout else { return try await rest(name, .wait, until: nil) { try await firstValue(condition) } }
    let clock = clock
    let sleep: @Sendable () async throws -> Void
    var end: Int64?
    if stepCoder == nil {
      sleep = { try await self.sleep(name, kind: .wait, for: timeout, entry, on: clock) }
    } else {
      let time = try await self.end(of: name, .wait, in: timeout, entry)
      end = time
      sleep = { try await self.sleep(until: time, on: clock) }
    }
    return try await rest(name, .wait, until: end) {
      let found = try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await firstValue(condition) }
        group.addTask {
          try await sleep()
          return nil
        }
        defer { group.cancelAll() }
        return try await group.next() ?? nil
      }
      if let found { return found }
      // Observers may not have been notified of the newest state.
      return condition(try await state)
    }
  }

  private func firstValue<Value: Sendable>(_ condition: @escaping @Sendable (I.State) -> Value?) async throws -> Value {
    let found = Lock<Value?>(nil)
    try await waitForState { state in
      guard let value = condition(state) else { return false }
      found.withLock { $0 = value }
      return true
    }
    guard let value = found.withLock({ $0 }) else { throw CancellationError() }
    return value
  }

  // MARK: Time

  /// The stored end of a sleep or of the timeout of a wait, which is stored if it is new; in wall milliseconds.
  private func end(
    of name: String, _ kind: StoredStep.Kind, in duration: Duration, _ entry: RunSteps.Entry?
  ) async throws -> Int64 {
    if case .wallTime(let end) = entry?.end { return end }
    let end = WallTime.after(duration, wallTime())
    try await storeStep(
      StepCommit(name: name, kind: kind, stored: StoredStep(name, kind, .due(end)), end: .wallTime(end)), [])
    return end
  }

  /// Sleeps until a wall time, which is read again after at most a minute.
  private func sleep<C: Clock<Duration>>(until end: Int64, on clock: C) async throws {
    while true {
      // Before the wall time, so that a clock that moves between the two wakes early, and not late.
      let begin = clock.now
      let rest = WallTime.rest(until: end, wallTime())
      if rest <= .zero { return }
      try await clock.sleep(until: begin.advanced(by: rest), tolerance: nil)
    }
  }

  /// Sleeps on the store's clock; a further attempt sleeps the rest.
  private func sleep<C: Clock<Duration>>(
    _ name: String, kind: StoredStep.Kind = .sleep, for duration: Duration, _ entry: RunSteps.Entry?, on clock: C
  ) async throws {
    var end = clock.now.advanced(by: duration.bounded)
    if case .instant(let kept) = entry?.end, let kept = kept as? C.Instant {
      end = kept
    } else if mayRepeat {
      steps.keep(name, kind, end: .instant(end))
    }
    try await clock.sleep(until: end, tolerance: nil)
  }
}
