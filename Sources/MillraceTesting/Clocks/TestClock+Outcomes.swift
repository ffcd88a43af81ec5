package import Millrace

/// The outcomes of actions that tasks wait for, while the store's clock is a test clock.
struct AwaitedOutcomes {
  private struct Wait {
    let action: ActionID
    let isOpen: @Sendable () -> Bool
  }

  /// The real time after which one that is awaited is reported.
  let time: Duration

  /// The line where the clock was made.
  let line: TestLine

  private var waits: [Wait] = []
  private var largest = 16
  private var isReported = false

  /// Whether the time runs, after which outcomes are looked at.
  private var isTimed = false

  init(time: Duration, line: TestLine) {
    self.time = time
    self.line = line
  }

  /// Adds an outcome, and returns whether a time has to begin.
  mutating func add(_ action: ActionID, _ isOpen: @escaping @Sendable () -> Bool) -> Bool {
    if isReported { return false }
    if waits.count >= largest {
      removeEnded()
      largest = 2 * waits.count + 16
    }
    waits.append(Wait(action: action, isOpen: isOpen))
    defer { isTimed = true }
    return !isTimed
  }

  /// The time is over: the first action that is still awaited, or nil.
  mutating func firstOpen() -> ActionID? {
    removeEnded()
    isTimed = !waits.isEmpty
    return waits.first?.action
  }

  /// The number of outcomes that are remembered.
  var count: Int { waits.count }

  /// Reports no further outcome of this clock.
  mutating func report() {
    isReported = true
    waits = []
  }

  private mutating func removeEnded() { waits.removeAll { !$0.isOpen() } }
}

extension TestClock: OutcomeNoticingClock {
  /// Begins to wait for the outcome, unless the clock is that of a world, which notices that no task can continue.
  package func outcomeIsAwaited(of action: ActionID, _ isAwaited: @escaping @Sendable () -> Bool) {
    if WorldRuntime.isOwnedByThisThread { return }
    if awaited.withLock({ $0.add(action, isAwaited) }) { waitForOutcomes() }
  }

  private func waitForOutcomes() {
    let (time, now) = (awaited.withLock { $0.time }, now)
    _ = Patience(time) { [weak self] in self?.stillAwaits(since: now) }
  }

  private func stillAwaits(since start: Instant) {
    guard let action = awaited.withLock({ $0.firstOpen() }) else { return }
    let (now, deadlines) = (now, deadlines)
    guard let next = deadlines.first, now == start else { return waitForOutcomes() }
    let (time, line) = awaited.withLock { awaited in
      awaited.report()
      return (awaited.time, awaited.line)
    }
    failAwaiting(
      """
      The outcome of an action (\(action)) has been awaited for \(time) of real time, while the time of its test clock stands at \
      \(now.offset) and \(WaitError.count(deadlines.count, "task")) \(deadlines.count == 1 ? "sleeps" : "sleep") on it, the first until \
      \(next.offset). Move the clock while the outcome is awaited, such as by `run(until:within:)`, or give the store an `ImmediateClock`.
      """, at: line)
  }
}
