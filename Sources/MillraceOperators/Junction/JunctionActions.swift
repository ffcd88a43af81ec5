/// What is left to do for an event of a junction's state, after its lock was released.
struct JunctionActions<Element, Failure: Error> {
  /// What the waiting consumer gets.
  var answer: Answer<Element, Failure>?
  /// The bases to ask for their next element.
  var asked: [Int] = []
  /// When to wake the state, in the time of its events.
  var alarm: Duration?
  /// Whether all tasks of the junction are to end.
  var closes = false

  /// Nothing is left to do.
  static var none: Self { Self() }
}

extension JunctionActions: Sendable where Element: Sendable {}
extension JunctionActions: Equatable where Element: Equatable, Failure: Equatable {}
