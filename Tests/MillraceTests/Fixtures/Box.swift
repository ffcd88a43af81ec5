import Millrace

/// A value that several threads of a test share.
final class Box<Value: Sendable>: Sendable {
  private let contents: Lock<Value>

  init(_ value: Value) {
    contents = Lock(value)
  }

  var value: Value {
    get { contents.withLock { $0 } }
    set { contents.withLock { $0 = newValue } }
  }

  /// Changes the value in one step.
  func update<Result>(_ change: (inout Value) -> Result) -> Result {
    contents.withLock { change(&$0) }
  }
}
