import Synchronization

/// A full plan by hand: single flight, two timeouts, retries and a breaker for each key, under one Mutex.
final class CallsByKey: Sendable {
  struct TimedOut: Error {}
  struct BreakerOpen: Error {}

  typealias Caller = UnsafeContinuation<Void, any Error>

  /// A call in progress, which all callers of its key wait for.
  private struct SharedCall {
    /// The id of its first caller, which distinguishes it from later calls of the key.
    let number: Int
    var task: Task<Void, Never>?
    var callers: [Int: Caller] = [:]
  }

  private struct Breaker {
    var failures = 0
    var openUntil: ContinuousClock.Instant?

    var isOpen: Bool { openUntil.map { ContinuousClock.now < $0 } ?? false }

    mutating func failed(limit: Int, openFor: Duration) {
      failures += 1
      if failures >= limit { openUntil = .now + openFor }
    }
  }

  private struct State {
    var calls: [Int: SharedCall] = [:]
    var breakers: [Int: Breaker] = [:]
    var lastCaller = 0
  }

  private let terms: FullTerms
  private let state = Mutex(State())

  init(_ terms: FullTerms) {
    self.terms = terms
  }

  /// Calls `work`, or joins the call of this key that is in progress; throws its last error, or that the time is over.
  func call(_ key: Int, _ work: @escaping @Sendable () async throws -> Void) async throws {
    let number = state.withLock { state in
      state.lastCaller += 1
      return state.lastCaller
    }
    let timer = Task {
      try await Task.sleep(for: terms.timeout)
      self.leave(number, key)
    }
    defer { timer.cancel() }
    try await withUnsafeThrowingContinuation { self.join(key, number, $0, work) }
  }

  private func join(_ key: Int, _ number: Int, _ caller: Caller, _ work: @escaping @Sendable () async throws -> Void) {
    let (isOpen, isFirst) = state.withLock { state in
      let isFirst = state.calls[key] == nil
      if isFirst, state.breakers[key]?.isOpen == true { return (true, false) }
      state.calls[key, default: SharedCall(number: number)].callers[number] = caller
      return (false, isFirst)
    }
    if isOpen { return caller.resume(throwing: BreakerOpen()) }
    guard isFirst else { return }
    let task = Task.immediate { self.finish(number, key, await self.attempt(key, work)) }
    state.withLock { state in
      if state.calls[key]?.number == number { state.calls[key]?.task = task }
    }
  }

  /// Attempts the work until it succeeds, the attempts are over, or the breaker is open.
  private func attempt(_ key: Int, _ work: @escaping @Sendable () async throws -> Void) async -> Result<Void, any Error>
  {
    var attempt = 1
    while true {
      do {
        try await limited(work)
        state.withLock { $0.breakers[key] = nil }
        return .success(())
      } catch {
        let isOpen = state.withLock { state in
          state.breakers[key, default: Breaker()].failed(limit: terms.failures, openFor: terms.openFor)
          return state.breakers[key]?.isOpen == true
        }
        if isOpen || attempt == terms.attempts || Task.isCancelled { return .failure(error) }
        try? await Task.sleep(for: terms.backoff)
        attempt += 1
      }
    }
  }

  /// Limits the time of one attempt.
  private func limited(_ work: @escaping @Sendable () async throws -> Void) async throws {
    let timeout = terms.attemptTimeout
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addImmediateTask { try await work() }
      group.addTask {
        try await Task.sleep(for: timeout)
        throw TimedOut()
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Resumes all callers of a call with the result of their call.
  private func finish(_ number: Int, _ key: Int, _ result: Result<Void, any Error>) {
    let call = state.withLock { state in
      state.calls[key]?.number == number ? state.calls.removeValue(forKey: key) : nil
    }
    for caller in (call?.callers ?? [:]).values { caller.resume(with: result) }
  }

  /// Ends the wait of one caller, and the call with its last caller.
  private func leave(_ number: Int, _ key: Int) {
    let (caller, abandoned) = state.withLock { state in
      guard let caller = state.calls[key]?.callers.removeValue(forKey: number) else {
        return (nil as Caller?, nil as SharedCall?)
      }
      let isLast = state.calls[key]?.callers.isEmpty == true
      return (caller, isLast ? state.calls.removeValue(forKey: key) : nil)
    }
    abandoned?.task?.cancel()
    caller?.resume(throwing: TimedOut())
  }
}
