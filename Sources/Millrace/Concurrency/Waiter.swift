/// Suspends one task at a time until it is signalled or cancelled.
///
/// A signal that finds no waiting task is kept for the next wait, so that none is lost; a wait may therefore return early,
/// and the waiting task checks its condition again.
@usableFromInline
package final class Waiter: @unchecked Sendable {
  private enum State {
    /// No task waits. Becomes `waiting` or `signalled`.
    case idle
    /// A task is suspended. Becomes `idle` by a signal.
    case waiting(UnsafeContinuation<Void, Never>)
    /// A signal came first. Becomes `idle` by the next wait, which does not suspend.
    case signalled
  }

  private let state = Lock<State>(.idle)

  /// The index in the list that holds this waiter; guarded as that list is.
  var index: Int?

  /// Creates a waiter without a signal.
  @usableFromInline
  package init() {}

  /// Suspends until signalled; `arrange` is called once the task can be signalled.
  @usableFromInline
  nonisolated(nonsending) package func wait(_ arrange: () -> Void) async {
    await withUnsafeContinuation { continuation in
      let isSignalled = state.withLock { state in
        if case .signalled = state {
          state = .idle
          return true
        }
        state = .waiting(continuation)
        return false
      }
      if isSignalled { continuation.resume() } else { arrange() }
    }
  }

  /// Resumes the waiting task, or the next task that waits.
  package func signal() {
    let continuation: UnsafeContinuation<Void, Never>? = state.withLock { state in
      guard case .waiting(let continuation) = state else {
        state = .signalled
        return nil
      }
      state = .idle
      return continuation
    }
    continuation?.resume()
  }
}

extension Waiter: Indexed {}

/// A value that one task waits for, and that comes once.
///
/// Inlinable, because what the core itself compiles looks up the types of the value at run time with each call.
@usableFromInline
package final class Promise<Value: Sendable>: Sendable {
  @usableFromInline
  enum Phase {
    /// No task waits yet. Becomes `waiting` or `fulfilled`.
    case new
    /// A task is suspended. Becomes `fulfilled`.
    case waiting(UnsafeContinuation<Value, Never>)
    /// The value is there. Remains.
    case fulfilled(Value)
  }

  @usableFromInline let phase = Lock<Phase>(.new)

  @inlinable
  package init() {}

  /// Whether the value is there.
  @inlinable var isFulfilled: Bool {
    phase.withLock { phase in
      if case .fulfilled = phase { true } else { false }
    }
  }

  /// Ends the wait with this value, and says whether it did; later calls do nothing.
  @inlinable
  @discardableResult
  package func fulfil(_ value: Value) -> Bool {
    let (isFirst, continuation) = phase.withLock { phase in
      switch phase {
      case .new:
        phase = .fulfilled(value)
        return (true, nil as UnsafeContinuation<Value, Never>?)
      case .waiting(let continuation):
        phase = .fulfilled(value)
        return (true, continuation)
      case .fulfilled:
        return (false, nil)
      }
    }
    continuation?.resume(returning: value)
    return isFirst
  }

  /// Suspends until the value is there, cancelled or not; for one task, once.
  @inlinable package var value: Value {
    get async {
      await withUnsafeContinuation { continuation in
        let value: Value? = phase.withLock { phase in
          if case .fulfilled(let value) = phase { return value }
          phase = .waiting(continuation)
          return nil
        }
        if let value { continuation.resume(returning: value) }
      }
    }
  }
}
