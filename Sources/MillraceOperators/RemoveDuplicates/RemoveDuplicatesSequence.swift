/// The elements of a sequence that differ from the one delivered last.
///
/// **Order.** That of the base. The first element is always delivered.
///
/// **Isolation.** The base is read, and elements are compared, where the consumer runs; there is no task.
///
/// **Cancellation, backpressure, Throws:** as for the base, which is asked when the consumer demands an element.
public struct RemoveDuplicatesSequence<Base: AsyncSequence>: AsyncSequence {
  /// An element of the base.
  public typealias Element = Base.Element

  /// The failure of the base.
  public typealias Failure = Base.Failure

  private let base: Base
  private let areEqual: @Sendable (Element, Element) -> Bool

  init(_ base: Base, by areEqual: @escaping @Sendable (Element, Element) -> Bool) {
    self.base = base
    self.areEqual = areEqual
  }

  /// Creates an iterator of the base, which begins without a last element.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), areEqual: areEqual)
  }

  /// One consumer of the elements that differ.
  public struct Iterator: AsyncIteratorProtocol {
    private var base: Base.AsyncIterator
    private let areEqual: @Sendable (Element, Element) -> Bool
    /// The element that was delivered last; that may be nil itself, so this is nil only before the first one.
    private var last: Element?

    init(base: Base.AsyncIterator, areEqual: @escaping @Sendable (Element, Element) -> Bool) {
      self.base = base
      self.areEqual = areEqual
    }

    /// Returns the next element that differs from the last one delivered; nil at the end of the base.
    ///
    /// Cancellation has its effect on the base, which ends most sequences.
    ///
    /// - Throws: the errors of the base, and no others.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      while let element = try await base.next(isolation: actor) {
        if let last, areEqual(last, element) { continue }
        last = element
        return element
      }
      return nil
    }

    /// Returns the next element that differs from the last one delivered; nil at the end of the base.
    ///
    /// Cancellation has its effect on the base, which ends most sequences.
    ///
    /// - Throws: the errors of the base, and no others.
    public mutating func next() async throws(Failure) -> Element? {
      try await next(isolation: #isolation)
    }
  }
}

extension RemoveDuplicatesSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension RemoveDuplicatesSequence.Iterator: Sendable {}
