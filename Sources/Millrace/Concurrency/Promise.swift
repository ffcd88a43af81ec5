/// A value that one task waits for, and that comes once.
final class Promise<Value: Sendable>: Sendable {
  private enum Phase {
    /// Made, and nobody waits yet. Becomes `waiting` or `fulfilled`.
    case new
    /// A task is suspended. Becomes `fulfilled`.
    case waiting(CheckedContinuation<Value, Never>)
    /// The value is there. Remains.
    case fulfilled(Value)
  }

  private let phase = Lock<Phase>(.new)

  init() {}

  /// Whether the value is there.
  var isFulfilled: Bool {
    phase.withLock { phase in
      if case .fulfilled = phase { true } else { false }
    }
  }

  /// Ends the wait with this value, and says whether it did; later calls do nothing.
  @discardableResult
  func fulfil(_ value: Value) -> Bool {
    let (isFirst, continuation): (Bool, CheckedContinuation<Value, Never>?) = phase.withLock { phase in
      switch phase {
      case .new:
        phase = .fulfilled(value)
        return (true, nil)
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
  var value: Value {
    get async {
      await withCheckedContinuation { continuation in
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
