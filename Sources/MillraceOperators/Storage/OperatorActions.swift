/// The actions that an event of an operator's state asks for, to be done after its lock was released.
struct OperatorActions<Element, Failure: Error> {
  /// The answer to the waiting consumer.
  var answer: Result<Element?, Failure>?
  /// The bases to ask for their next element.
  var asked: [Int] = []
  /// The time at which to wake the state, on the clock of its events.
  var alarm: Duration?
  /// Whether all tasks of the storage are to end.
  var closes = false

  /// Nothing is left to do.
  static var none: Self { Self() }
}

extension OperatorActions: Sendable where Element: Sendable {}
extension OperatorActions: Equatable where Element: Equatable, Failure: Equatable {}
