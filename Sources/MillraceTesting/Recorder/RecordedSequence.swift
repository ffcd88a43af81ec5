extension AsyncSequence where Element: Sendable {
  /// A sequence of the same elements that records each one when its consumer asks for the next.
  ///
  /// So a test waits until code that iterates a sequence has finished its work with an element:
  ///
  /// ```swift
  /// let shown = Recorder<Records.State>()
  /// let screen = Task { await show(store.states.recorded(by: shown)) }
  /// #expect(try await shown.next() == .init())
  /// ```
  ///
  /// **Order.** The last element is recorded when the consumer finds the end, or the error, behind it; one after which the consumer
  /// breaks off is not recorded. **Backpressure.** It never asks for more than its consumer does, and keeps one element.
  /// **Cancellation**, errors and the end are those of the sequence.
  ///
  /// - Parameter recorder: Has all elements of all iterators, in the order in which they are done with.
  public func recorded(by recorder: Recorder<Element>) -> RecordedSequence<Self> {
    RecordedSequence(base: self, recorder: recorder)
  }
}

/// A sequence that records each element when its consumer asks for the next; made by `recorded(by:)`.
public struct RecordedSequence<Base: AsyncSequence>: AsyncSequence where Base.Element: Sendable {
  /// An element of the recorded sequence.
  public typealias Element = Base.Element
  /// The error of the recorded sequence.
  public typealias Failure = Base.Failure

  let base: Base
  let recorder: Recorder<Element>

  /// An iterator of its own for each consumer.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let recorder: Recorder<Element>
    /// The element that the consumer works with.
    var last: Element?

    /// Records the element before, and returns the next one.
    ///
    /// A cancellation does what it does to the recorded sequence.
    ///
    /// - Throws: the error of the recorded sequence.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Failure) -> Element? {
      if let last { recorder.record(last) }
      last = nil
      last = try await base.next(isolation: actor)
      return last
    }
  }

  /// Begins to iterate the recorded sequence.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: base.makeAsyncIterator(), recorder: recorder)
  }
}

extension RecordedSequence: Sendable where Base: Sendable {}

@available(*, unavailable)
extension RecordedSequence.AsyncIterator: Sendable {}
