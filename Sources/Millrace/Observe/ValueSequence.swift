/// One part of a store's state over time: an element whenever it differs from the one this observer got last.
///
/// **Order.** The first element is the current value; an equal value is never delivered twice in a row, and nil is a value.
/// A slow observer skips to the newest value, at no cost to the store. Every iterator is an observer of its own.
///
/// **Isolation.** Elements are delivered where the observer runs. The closure or key path is evaluated with the store's
/// lock, on any thread: it must be quick, and free of effects.
///
/// **Cancellation.** In a cancelled task the sequence ends.
///
/// **Lifetime.** The sequence ends when the store is shut down, after its last value, or released. Neither it nor its
/// iterators hold the store; an iterator that is not waiting costs the store nothing.
public struct ValueSequence<Value: Sendable>: AsyncSequence, Sendable {
  /// A value of the observed part.
  public typealias Element = Value

  /// Values do not fail.
  public typealias Failure = Never

  /// The next value that differs from the last; nil when there will be none.
  ///
  /// Made anew for each observer.
  typealias Next = () async -> Value?

  private let observe: @Sendable () -> Next

  init(observe: @escaping @Sendable () -> Next) {
    self.observe = observe
  }

  /// Makes an observer, which begins with the then current value.
  public func makeAsyncIterator() -> Iterator {
    Iterator(next: observe())
  }

  /// One observer of a part of the state.
  public struct Iterator: AsyncIteratorProtocol {
    private let take: Next

    init(next: @escaping Next) {
      take = next
    }

    /// The next value that differs from the last, as soon as there is one; nil when there will be none.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Value? {
      await take()
    }

    /// The next value that differs from the last, as soon as there is one; nil when there will be none.
    public mutating func next() async -> Value? {
      await next(isolation: #isolation)
    }
  }
}

@available(*, unavailable)
extension ValueSequence.Iterator: Sendable {}
