import Millrace

/// A log of values, which a test can wait for.
///
/// ```swift
/// let recorder = Recorder<Records.State>()
/// recorder.record(from: store.states)
/// #expect(try await recorder.next() == .init())
/// store.send(.reload)
/// #expect(try await recorder.next().isLoading)
/// ```
///
/// Elements are kept in the order in which they were recorded, for as long as the recorder lives, and each is read once
/// by ``next(timeout:file:line:)`` or ``next(_:timeout:file:line:)``. Nothing here yields or polls, and real time is taken for the timeout of
/// a wait alone. A recorder may be used from any thread;
/// each call is one atomic step.
public final class Recorder<Element: Sendable>: Sendable {
  private typealias Waiter = Suspension<Result<[Element], RecorderError>>

  private let state = Lock(RecorderState<Element, Waiter>())

  /// Creates a recorder that has recorded nothing.
  public init() {}

  /// Everything that was recorded so far, whether it was read or not.
  public var recorded: [Element] { state.withLock { $0.recorded } }

  /// Records one element; callable from anywhere, it never waits.
  public func record(_ element: Element) {
    act { $0.record(element) }
  }

  /// Records each element of a sequence until it ends.
  ///
  /// The sequence is iterated in a task of its own, which starts before this returns: a sequence that has its first
  /// element ready has recorded it by then. The task holds the recorder and the sequence until the sequence ends or the
  /// task is cancelled.
  ///
  /// When every sequence of this recorder has ended, those who wait for more elements than there are get a
  /// ``RecorderError``.
  ///
  /// - Returns: the task; its value is there when the sequence has ended, and it throws the error of the sequence.
  @discardableResult
  public func record<Source: AsyncSequence & Sendable>(from source: Source) -> Task<Void, any Error>
  where Source.Element == Element {
    state.withLock { $0.sourceBegan() }
    return Task.immediate {
      do {
        for try await element in source { self.record(element) }
        self.act { $0.sourceEnded(nil) }
      } catch {
        self.act { $0.sourceEnded(error) }
        throw error
      }
    }
  }

  /// The next element that was not read yet; waits until there is one.
  ///
  /// Of several tasks that wait, the one that asked first is served first, and no element goes to two of them.
  ///
  /// - Parameters:
  ///   - timeout: the real time that the test waits at most; without meaning in a world of a simulation, which ends a wait itself.
  ///   - file: the file that a ``WaitError`` names.
  ///   - line: the line that a ``WaitError`` names.
  /// - Throws: `CancellationError` at once when the task is cancelled, before or while it waits, and no element is lost
  ///   by that; ``RecorderError`` when there is no unread element and every recorded sequence has ended; ``WaitError`` when the
  ///   timeout is over, and no element is lost by that either.
  public func next(
    timeout: Duration = .seconds(10), file: StaticString = #filePath, line: UInt = #line
  ) async throws -> Element {
    try await next(1, timeout: timeout, file: file, line: line)[0]
  }

  /// The next `count` unread elements, in order; waits until they are recorded.
  ///
  /// The call takes all of them together, or none. Later calls wait behind it. A count that is not above 0 gives an empty array.
  ///
  /// - Parameters:
  ///   - count: the number of elements.
  ///   - timeout: the real time that the test waits at most; without meaning in a world of a simulation, which ends a wait itself.
  ///   - file: the file that a ``WaitError`` names.
  ///   - line: the line that a ``WaitError`` names.
  /// - Throws: `CancellationError` at once when the task is cancelled, and no element is lost by that; ``RecorderError`` when
  ///   every recorded sequence has ended and too few elements are left; ``WaitError`` when the timeout is over, and no element is
  ///   lost by that either.
  public func next(
    _ count: Int, timeout: Duration = .seconds(10), file: StaticString = #filePath, line: UInt = #line
  ) async throws -> [Element] {
    let id = state.withLock { $0.makeID() }
    return try await suspend(atMost: timeout) { (waiter: Waiter, isCancelled) in
      act { $0.next(count, for: waiter, id: id, isCancelled: isCancelled()) }
    } onEnd: { [self] in
      act { $0.cancel(id) }
    } late: {
      WaitError(
        timeout, at: TestLine(file, line), for: "\(WaitError.count(count, "more element")) of its recorder",
        but: state.withLock { "\($0.unread) of \($0.recorded.count) recorded \($0.unread == 1 ? "is" : "are") unread" },
        fix: "Let what is recorded happen before")
    }.get()
  }

  /// The one place that changes the state: the event under the lock, the deliveries after.
  private func act(_ event: (inout RecorderState<Element, Waiter>) -> [RecorderState<Element, Waiter>.Delivery]) {
    for delivery in state.withLock({ event(&$0) }) {
      switch delivery {
      case .elements(let elements, let waiter): waiter.resume(returning: .success(elements))
      case .ended(let error, let waiter): waiter.resume(returning: .failure(error))
      case .cancelled(let waiter): waiter.resume(returning: nil)
      }
    }
  }
}

/// A recorder was asked for more elements than will ever come.
public struct RecorderError: Error, CustomStringConvertible {
  /// The number of elements that were asked for.
  public let wanted: Int
  /// The number of recorded elements that were not read yet.
  public let unread: Int
  /// The error the last sequence ended with; nil when it finished.
  public let underlyingError: (any Error)?

  /// A sentence with the awaited values, the recorded values, and the ends of the recorded sequences.
  public var description: String {
    let end = underlyingError.map { "the last of them with the error \($0)" } ?? "the last of them without an error"
    return """
      The test waits for \(wanted) more of a recorder, but every sequence it records has ended, \(end), and \(unread) of \
      its elements are unread; wait for fewer elements, or find out why the sequence ended so early.
      """
  }
}

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
  /// **Cancellation**, errors and the end come from the sequence.
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
    /// A cancellation has its effect on the recorded sequence.
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
