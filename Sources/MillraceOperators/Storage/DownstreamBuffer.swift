/// The elements that are due to the consumer of an operator, and whether it waits; a value without tasks and locks.
///
/// Each event returns what the consumer gets, if it waits and there is something.
enum DownstreamBuffer<Element, Failure: Error> {
  /// No task waits; these elements are due, the first one first. Becomes `waiting`, `ending` or `closed`.
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
  mutating func demand() -> Result<Element?, Failure>? {
    switch self {
    case .quiet(var due):
      guard !due.isEmpty else {
        self = .waiting
        return nil
      }
      let first = due.removeFirst()
      self = .quiet(due)
      return .success(first)
    case .waiting:
      return nil
    case .ending(var due, let failure):
      guard !due.isEmpty else {
        self = .closed
        return failure.map { .failure($0) } ?? .success(nil)
      }
      let first = due.removeFirst()
      self = .ending(due, failure)
      return .success(first)
    case .closed:
      return .success(nil)
    }
  }

  /// An element is due, behind those that are.
  mutating func offer(_ element: Element) -> Result<Element?, Failure>? {
    switch self {
    case .quiet(let due):
      self = .quiet(due + [element])
      return nil
    case .waiting:
      self = .quiet([])
      return .success(element)
    case .ending, .closed:
      return nil
    }
  }

  /// Nothing comes any more; the first such end counts.
  mutating func finish(_ failure: Failure?) -> Result<Element?, Failure>? {
    switch self {
    case .quiet(let due):
      self = .ending(due, failure)
      return nil
    case .waiting:
      self = .closed
      return failure.map { .failure($0) } ?? .success(nil)
    case .ending, .closed:
      return nil
    }
  }

  /// The consumer wants nothing any more; what is due is dropped.
  mutating func cancel() -> Result<Element?, Failure>? {
    let isWaiting = if case .waiting = self { true } else { false }
    self = .closed
    return isWaiting ? .success(nil) : nil
  }
}

extension DownstreamBuffer: Sendable where Element: Sendable {}
extension DownstreamBuffer: Equatable where Element: Equatable, Failure: Equatable {}
