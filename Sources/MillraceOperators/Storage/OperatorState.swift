/// The state of an operator that makes one sequence of its bases, as a value without tasks and locks.
///
/// Each event returns what is to be done once the lock around this value was released. A base is asked for one element at
/// a time, and answers with `receive` or `end`; the consumer demands one element at a time. `now` never goes back by more
/// than what passes between reading a clock and taking a lock.
protocol OperatorState<Element, Failure>: Sendable {
  associatedtype Element: Sendable
  associatedtype Failure: Error
  typealias Actions = OperatorActions<Element, Failure>

  /// The consumer wants the next element, and waits if there is no answer.
  mutating func demand(at now: Duration) -> Actions

  /// A base has an element.
  mutating func receive(_ element: Element, from base: Int, at now: Duration) -> Actions

  /// A base has ended, with an error if it failed.
  mutating func end(_ base: Int, failure: Failure?) -> Actions

  /// The time of the alarm has come.
  mutating func wake(at now: Duration) -> Actions

  /// The consumer wants nothing any more.
  mutating func cancel() -> Actions
}

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
