/// What is due to the consumer of a junction, and whether it waits; a value without tasks and locks.
///
/// Each event returns what the consumer gets, if it waits and there is something.
enum Outlet<Element, Failure: Error> {
  /// Nobody waits; these elements are due, the first one first. Becomes `waiting`, `ending` or `closed`.
  case quiet([Element])
  /// The consumer waits, so nothing is due. Becomes `quiet` with an element, `closed` with the end.
  case waiting
  /// Nothing comes any more: these elements are due, then the failure or the end. Becomes `closed` with that.
  case ending([Element], Failure?)
  /// The consumer had its end; whatever comes is dropped. Remains.
  case closed

  /// Whether there is an element that the consumer has not taken.
  var hasDue: Bool {
    switch self {
    case .quiet(let due), .ending(let due, _): !due.isEmpty
    case .waiting, .closed: false
    }
  }

  /// Whether nothing more is to be read: the sequence has ended, but for what is due.
  var hasEnded: Bool {
    switch self {
    case .quiet, .waiting: false
    case .ending, .closed: true
    }
  }

  /// The consumer wants the next element; nil when it has to wait.
  mutating func demand() -> Answer<Element, Failure>? {
    switch self {
    case .quiet(var due):
      guard !due.isEmpty else {
        self = .waiting
        return nil
      }
      let first = due.removeFirst()
      self = .quiet(due)
      return .element(first)
    case .waiting:
      return nil
    case .ending(var due, let failure):
      guard !due.isEmpty else {
        self = .closed
        return failure.map { .failure($0) } ?? .end
      }
      let first = due.removeFirst()
      self = .ending(due, failure)
      return .element(first)
    case .closed:
      return .end
    }
  }

  /// An element is due, behind those that are.
  mutating func offer(_ element: Element) -> Answer<Element, Failure>? {
    switch self {
    case .quiet(let due):
      self = .quiet(due + [element])
      return nil
    case .waiting:
      self = .quiet([])
      return .element(element)
    case .ending, .closed:
      return nil
    }
  }

  /// Nothing comes any more; the first such end counts.
  mutating func finish(_ failure: Failure?) -> Answer<Element, Failure>? {
    switch self {
    case .quiet(let due):
      self = .ending(due, failure)
      return nil
    case .waiting:
      self = .closed
      return failure.map { .failure($0) } ?? .end
    case .ending, .closed:
      return nil
    }
  }

  /// The consumer wants nothing any more; what is due is dropped.
  mutating func cancel() -> Answer<Element, Failure>? {
    let isWaiting = if case .waiting = self { true } else { false }
    self = .closed
    return isWaiting ? .end : nil
  }
}

extension Outlet: Sendable where Element: Sendable {}
extension Outlet: Equatable where Element: Equatable, Failure: Equatable {}
