/// A sequence that an operator of this module makes of one or more others.
///
/// **Order.** Each operator says when its elements come. Every iterator reads the bases anew.
///
/// **Isolation.** The bases are read in tasks of their own, one a base, which begin with the first demand and have the
/// priority and the task-locals of its creator. Elements are delivered where the consumer runs.
///
/// **Backpressure.** A base is asked for its next element when the consumer demands one; an operator that has to look
/// ahead says so. At most one element of a base is kept beside one that is due.
///
/// **Cancellation.** In a cancelled task the sequence ends with nil, and stays ended; it does not throw for that. The tasks
/// that read the bases are cancelled then, and also at the end, at a failure, and when the last copy of the iterator is
/// dropped. They are not waited for: a base that does not heed its cancellation is read to its next element, which is
/// dropped.
///
/// **Throws:** the error of a base, once all elements that were due before are delivered; then the sequence has ended. The failure is that of the
/// bases, so that what is made of sequences that cannot fail cannot fail.
public struct DerivedSequence<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
  /// Delivers the next element to one consumer; each consumer has its own.
  typealias Next = () async throws(Failure) -> Element?

  private let begin: @Sendable () -> Next

  init(begin: @escaping @Sendable () -> Next) {
    self.begin = begin
  }

  /// A sequence of the elements of an operator.
  init<State: OperatorState<Element, Failure>>(storage: @escaping @Sendable () -> OperatorStorage<State>) {
    begin = {
      let lifetime = IteratorLifetime(storage())
      return { () async throws(Failure) -> Element? in try await lifetime.storage.next() }
    }
  }

  /// Creates a consumer; nothing is read before it asks for an element.
  public func makeAsyncIterator() -> Iterator {
    Iterator(take: begin())
  }

  /// One consumer of a derived sequence.
  ///
  /// Its copies share the remaining elements. When one of them waits, another one that asks gets nil.
  public struct Iterator: AsyncIteratorProtocol {
    private let take: Next

    init(take: @escaping Next) {
      self.take = take
    }

    /// Returns the next element as soon as there is one; nil at the end, and at once in a cancelled task.
    ///
    /// - Throws: the first error of a base. A cancellation is not an error.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      try await take()
    }

    /// Returns the next element as soon as there is one; nil at the end, and at once in a cancelled task.
    ///
    /// - Throws: the first error of a base. A cancellation is not an error.
    public mutating func next() async throws(Failure) -> Element? {
      try await next(isolation: #isolation)
    }
  }
}

@available(*, unavailable)
extension DerivedSequence.Iterator: Sendable {}
