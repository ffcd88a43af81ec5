import Millrace

/// A value that several tasks use.
final class Shared<Value: Sendable>: Sendable {
  private let lock: Lock<Value>

  init(_ value: Value) {
    lock = Lock(value)
  }

  var value: Value {
    get { lock.withLock { $0 } }
    set { lock.withLock { $0 = newValue } }
  }

  /// Changes it in one step.
  func change(_ body: (inout Value) -> Void) {
    lock.withLock { body(&$0) }
  }
}
