import Millrace

extension TestClock {
  /// Waits until a task sleeps, and moves the time to the earliest deadline, if that is at most `limit` away.
  ///
  /// One step of a retry, a debounce or a timer, however long its rest was drawn:
  ///
  /// ```swift
  /// let receipt = store.send(.fetch)  // Its plan: .retry(3), with rests of at most 1 second.
  /// try await clock.advance(toNextDeadlineWithin: .seconds(1))
  /// try await clock.advance(toNextDeadlineWithin: .seconds(1))
  /// ```
  ///
  /// **Order.** When this returns, every sleeper whose deadline is reached has been resumed, as by ``advance(to:)``. Where
  /// several calls wait, the earliest call moves the time. A task that has not fallen asleep yet is waited for only as long as
  /// no other task sleeps within the limit: choose a limit that is shorter than the timeouts of the plan under test.
  ///
  /// - Parameters:
  ///   - limit: the longest move of the time. Later deadlines, such as timeouts, do not change.
  ///   - timeout: the longest wait for a sleeper, in real time; in a world of a simulation, which ends a wait itself, without
  ///     meaning.
  /// - Throws: `CancellationError` when the waiting task is cancelled; ``TestClockError`` when the timeout is over.
  public func advance(toNextDeadlineWithin limit: Duration, timeout: Duration = .seconds(10)) async throws {
    let (id, end) = (makeID(), now.advanced(by: limit))
    let patience = Patience(timeout) { [self] in act { $0.release(id) } }
    defer { patience.cancel() }
    try await move(id, to: end) { patience.isOver }
    if patience.isOver { throw error(after: timeout, upTo: end) }
  }

  /// Waits until a task sleeps, and moves the time to the earliest deadline, however far away that is.
  ///
  /// **Order.** As ``advance(toNextDeadlineWithin:timeout:)``, without a limit: a timeout is moved to as well, if it is the
  /// earliest deadline when the first task sleeps. Use it where the test knows which tasks sleep.
  ///
  /// - Parameters:
  ///   - timeout: the real time that the test waits at most; without meaning in a world of a simulation, which ends a wait itself.
  ///   - file: the file that a ``WaitError`` names.
  ///   - line: the line that a ``WaitError`` names.
  /// - Throws: `CancellationError` when the waiting task is cancelled; ``WaitError`` when the timeout is over.
  public func advanceToNextDeadline(
    timeout: Duration = .seconds(10), file: StaticString = #filePath, line: UInt = #line
  ) async throws {
    let (id, never) = (makeID(), Instant(offset: .seconds(Int64.max)))
    try await suspend(atMost: timeout) { (suspension: Suspension<Void>, isCancelled) in
      act { $0.move(suspension, id: id, limit: never, isCancelled: isCancelled()) }
    } onEnd: { [self] in
      act { $0.cancel(id) }
    } late: {
      lateError(timeout, for: "a deadline of its test clock", file, line)
    }
  }

  /// Moves the time by a duration, deadline by deadline, each time when this many tasks sleep.
  ///
  /// Some ticks of a timer, with the work of each:
  ///
  /// ```swift
  /// let clock = TestClock()
  /// let ticks = Task { while true { try await clock.sleep(for: .seconds(1)); await tick() } }
  /// try await clock.run(for: .seconds(3))   // three ticks are done
  /// ```
  ///
  /// **Order.** A clock cannot see whether a woken task computes or has ended. So the caller gives the number of tasks that sleep
  /// whenever nothing is left to do. The time moves only while at least `count` tasks sleep, and then to the earliest deadline
  /// of the duration. When this returns, the duration is over and `count` tasks sleep until later: each task that was woken and
  /// sleeps again has done its work before that, and a deadline that it has set within the duration is reached too.
  ///
  /// **Limits.** Where more than `count` tasks sleep, the time may move while a woken task still computes. Where fewer sleep
  /// because a task has ended, this waits until the timeout. All timers of a store are one sleeping task, which exists as long as
  /// the store has a timer. Where the number changes, use ``run(until:within:timeout:)`` or a simulation, whose time moves only when
  /// no task can continue.
  ///
  /// - Parameters:
  ///   - duration: the move of the time; a negative duration moves nothing.
  ///   - count: the number of tasks that sleep when nothing is left to do; below 1 it is taken as 1.
  ///   - timeout: the longest time for this, in real time; in a world of a simulation, which ends a wait itself, without
  ///     meaning.
  ///   - file: the file that a ``WaitError`` names.
  ///   - line: the line that a ``WaitError`` names.
  /// - Throws: `CancellationError` when the calling task is cancelled; ``WaitError`` when the timeout is over. The time stays
  ///   where it is by then.
  public func run(
    for duration: Duration, sleepers count: Int = 1, timeout: Duration = .seconds(10), file: StaticString = #filePath,
    line: UInt = #line
  ) async throws {
    let (id, end, count) = (makeID(), now.advanced(by: duration), max(count, 1))
    let patience = Patience(timeout) { [self] in act { $0.release(id) } }
    defer { patience.cancel() }
    repeat {
      try await suspend { (suspension: Suspension<Void>, isCancelled) in
        act {
          $0.step(
            suspension, id: id, sleepers: count, end: end, isCancelled: isCancelled(), isOver: patience.isOver)
        }
      } onCancel: {
        act { $0.cancel(id) }
      }
      if isSettled(sleepers: count, at: end) { return }
    } while !patience.isOver
    throw lateError(
      timeout, for: "\(WaitError.count(count, "task")) to sleep on its test clock, which runs up to \(end.offset)",
      file, line)
  }

  /// Performs an operation, and moves the time from deadline to deadline until it has returned.
  ///
  /// All the retries of an action at once:
  ///
  /// ```swift
  /// let outcome = try await clock.run(until: { await receipt.outcome }, within: .seconds(30))
  /// ```
  ///
  /// **Order.** The operation begins in a task of its own. Each move is one of ``advance(toNextDeadlineWithin:timeout:)``: it
  /// wakes the tasks that are due, and does not wait for their work. So choose a limit that is shorter than the
  /// timeouts of the plan under test, or use a simulation, whose time moves only when no task can continue.
  ///
  /// **Cancellation.** Cancels the operation, and does not wait for it.
  ///
  /// - Parameters:
  ///   - operation: the operation to wait for.
  ///   - limit: the longest move of the time, from now. Later deadlines do not change.
  ///   - timeout: the longest time for this, in real time; in a world of a simulation, which ends a wait itself, without
  ///     meaning.
  /// - Returns: the result of the operation.
  /// - Throws: the error of the operation; `CancellationError` when the calling task is cancelled; ``TestClockError`` when the
  ///   timeout is over.
  public func run<Result: Sendable>(
    until operation: @escaping @Sendable () async throws -> Result, within limit: Duration,
    timeout: Duration = .seconds(10)
  ) async throws -> Result {
    let (id, end) = (makeID(), now.advanced(by: limit))
    let ended = Lock<Swift.Result<Result, any Error>?>(nil)
    let task = Task {
      let result: Swift.Result<Result, any Error>
      do { result = .success(try await operation()) } catch { result = .failure(error) }
      ended.withLock { $0 = result }
      act { $0.release(id) }
    }
    let patience = Patience(timeout) { [self] in act { $0.release(id) } }
    defer {
      task.cancel()
      patience.cancel()
    }
    while true {
      if let result = ended.withLock({ $0 }) { return try result.get() }
      if patience.isOver { throw error(after: timeout, upTo: end) }
      try await move(id, to: end) { ended.withLock { $0 != nil } || patience.isOver }
    }
  }

  /// Moves the time to the next deadline up to `limit`; returns without a move when `isOver` or the id is released.
  private func move(
    _ id: Int, to limit: Instant, unless isOver: () -> Bool
  ) async throws(CancellationError) {
    try await suspend { (suspension: Suspension<Void>, isCancelled) in
      act { $0.move(suspension, id: id, limit: limit, isCancelled: isCancelled(), isOver: isOver()) }
    } onCancel: {
      act { $0.cancel(id) }
    }
  }

  private func error(after timeout: Duration, upTo limit: Instant) -> TestClockError {
    TestClockError(waited: timeout.bounded, limit: limit, now: now, deadlines: deadlines)
  }
}

/// A test clock had no deadline to move to for too long.
public struct TestClockError: Error, Sendable, CustomStringConvertible {
  /// The time that the test waited, in real time.
  public let waited: Duration

  /// The latest deadline that the time was to move to.
  public let limit: TestClock.Instant

  let now: TestClock.Instant
  let deadlines: [TestClock.Instant]

  /// A sentence with the awaited event, the sleeping tasks, and the fix.
  public var description: String {
    let sleepers =
      switch deadlines.count {
      case 0: "no task sleeps on it"
      case 1: "1 task sleeps on it, until \(deadlines[0].offset)"
      default: "\(deadlines.count) tasks sleep on it, the first until \(deadlines[0].offset)"
      }
    return """
      The test waited \(waited) for a deadline of its test clock up to \(limit.offset); the clock stands at \
      \(now.offset), and \(sleepers). Let what the test waits for happen before, such as the reply of a fake, or give a \
      longer limit.
      """
  }
}
