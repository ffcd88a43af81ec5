/// The elements that a store has for its observers over time: states, snapshots, values or transitions.
///
/// **Order.** Every iterator is an observer of its own: none takes elements from another. Its first element is the current one;
/// each later one is newer than the one before. The method that returns the sequence says more.
///
/// **Isolation.** Elements are delivered where the observer runs; where every state is observed, mutations are replayed there. An
/// observer may send to the store it observes.
///
/// **Backpressure.** As the ``ObservationPolicy`` says; under ``ObservationPolicy/latest`` a slow observer skips to the newest
/// element, which costs the store nothing.
///
/// **Cancellation.** In a cancelled task the sequence ends.
///
/// **Throws:** `Failure`, which is `Never` for the policies that cannot end an observer. When the journal of the store fails, a sequence
/// that can throw ends with ``StoreError/Code/journal``, and any other one simply ends; both after all earlier commits.
///
/// **Lifetime.** The sequence ends when the store is shut down, after its last element, or released. Neither it nor its iterators
/// hold the store. Elements that are kept for an iterator are released with it, and one that is not waiting under
/// ``ObservationPolicy/latest`` costs the store nothing.
public struct StoreSequence<Element: Sendable, Failure: Error>: AsyncSequence, Sendable {
  @usableFromInline let observe: @Sendable () -> NextElement<Element>

  /// - Parameter observe: makes an observer, which is called by one task at a time; under a policy whose failure is `Never` it
  ///   throws nothing.
  @inlinable
  package init(observe: @escaping @Sendable () -> NextElement<Element>) {
    self.observe = observe
  }

  /// The snapshots that readers read.
  @inlinable
  init<State>(snapshots makeReader: @escaping @Sendable () -> SnapshotReader<State>) where Element == Snapshot<State> {
    self.init { makeReader().next }
  }

  /// The states that readers read.
  @inlinable
  init(states makeReader: @escaping @Sendable () -> SnapshotReader<Element>) {
    self.init { makeReader().states() }
  }

  /// The values that `get` takes from what readers read, without those that equal the one delivered last.
  @inlinable
  init<State>(
    _ makeReader: @escaping @Sendable () -> SnapshotReader<State>, of get: @escaping @Sendable (State) -> Element,
    by areEqual: @escaping @Sendable (Element, Element) -> Bool
  ) {
    self.init { makeReader().values(of: get, by: areEqual) }
  }

  /// Creates an observer, which begins with the then current element.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(take: observe())
  }

  /// One observer of a store.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let take: NextElement<Element>

    @inlinable
    init(take: @escaping NextElement<Element>) {
      self.take = take
    }

    /// Returns the next element by the policy as soon as there is one; nil at the end, and at once in a cancelled task.
    ///
    /// - Throws: ``StoreError`` with the code `lagged`, for a policy that ends an observer that is too far behind, and with `journal` when
    ///   the store's journal has failed; policies whose `Failure` is `Never` throw nothing. The end of the store is not an error.
    @inlinable
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      do {
        return try await take()
      } catch {
        if let failure = error as? Failure { throw failure }
        return nil
      }
    }

    /// Returns the next element by the policy as soon as there is one; nil at the end, and at once in a cancelled task.
    ///
    /// - Throws: ``StoreError`` with the code `lagged`, for a policy that ends an observer that is too far behind, and with `journal` when
    ///   the store's journal has failed; policies whose `Failure` is `Never` throw nothing. The end of the store is not an error.
    @inlinable
    public mutating func next() async throws(Failure) -> Element? {
      try await next(isolation: #isolation)
    }
  }
}

@available(*, unavailable)
extension StoreSequence.Iterator: Sendable {}

/// The next element of one observer, as soon as there is one; nil when there will be none.
@usableFromInline
package typealias NextElement<Element> = () async throws(StoreError) -> Element?
