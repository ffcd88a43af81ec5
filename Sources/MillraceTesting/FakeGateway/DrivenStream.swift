import Millrace

/// A stream of a ``FakeStream`` whose elements a test gives one by one.
///
/// ```swift
/// let news = gateway.follows.drive()
/// store.send(.follow)
/// try await news.opened()          // the handler iterates
/// news.yield(record)
/// store.send(.unfollow)
/// try await news.ended()           // and has stopped by now
/// ```
///
/// The stream keeps elements that are yielded before it is open. Nothing here yields the processor or polls. It
/// may be used from any thread; elements that come from several at once come in any order.
public final class DrivenStream<Request: Sendable, Element: Sendable>: Sendable {
  private typealias State = DrivenStreamState<Request, Element, StreamSink<Element>, Suspension<Void>>

  private let state = Lock(State())

  /// The lock of calls to the consumer; taken before the lock of the state.
  private let order = Lock(())

  init() {}

  /// The request of the stream; nil until the stream is open.
  public var request: Request? { state.withLock { $0.request } }

  /// The end of the stream; nil while the stream lasts.
  ///
  /// `cancelled` means that its consumer ended: its task was cancelled, or it released the sequence.
  public var ending: FakeEnding? { state.withLock { $0.ending } }

  /// Waits until the stream is open, which it is when the method was called.
  ///
  /// - Parameters:
  ///   - timeout: the real time that the test waits at most; without meaning in a world of a simulation, which ends a wait itself.
  ///   - file: the file that a ``WaitError`` names.
  ///   - line: the line that a ``WaitError`` names.
  /// - Returns: what it was called with.
  /// - Throws: `CancellationError` at once when the waiting task is cancelled, as a test's time limit does, and when
  ///   the fake was finished and no call had come; ``WaitError`` when the timeout is over.
  @discardableResult
  public func opened(
    timeout: Duration = .seconds(10), file: StaticString = #filePath, line: UInt = #line
  ) async throws -> Request {
    try await wait(forEnd: false, atMost: timeout, at: TestLine(file: file, line: line))
    guard let request else { throw CancellationError() }
    return request
  }

  /// Waits until the stream has ended, by the test or because its consumer went away.
  ///
  /// - Parameters:
  ///   - timeout: the real time that the test waits at most; without meaning in a world of a simulation, which ends a wait itself.
  ///   - file: the file that a ``WaitError`` names.
  ///   - line: the line that a ``WaitError`` names.
  /// - Returns: how it ended.
  /// - Throws: `CancellationError` at once when the waiting task is cancelled, as a test's time limit does; ``WaitError`` when the
  ///   timeout is over.
  @discardableResult
  public func ended(
    timeout: Duration = .seconds(10), file: StaticString = #filePath, line: UInt = #line
  ) async throws -> FakeEnding {
    try await wait(forEnd: true, atMost: timeout, at: TestLine(file: file, line: line))
    return ending ?? .cancelled
  }

  /// Gives the consumer an element, or keeps it until there is one.
  ///
  /// - Returns: false when the stream has ended; the element is dropped then.
  @discardableResult
  public func yield(_ element: Element) -> Bool {
    act { $0.yield(element) }
  }

  /// Ends the stream after the elements that were given.
  ///
  /// - Returns: false when it has ended before.
  @discardableResult
  public func finish() -> Bool {
    act { $0.end(.replied) }
  }

  /// Ends the stream with an error after the elements that were given.
  ///
  /// - Returns: false when it has ended before.
  @discardableResult
  public func fail(_ error: any Error) -> Bool {
    act { $0.end(.failed(error)) }
  }

  func open(_ sink: StreamSink<Element>, _ request: Request) {
    act { $0.open(sink, request) }
  }

  /// Says that the consumer went away.
  func leave() {
    state.withLock { $0.leave() }.wake.run()
  }

  /// Ends what waits, because the test ends.
  func abandon() {
    act { $0.abandon() }
  }

  private func wait(forEnd: Bool, atMost timeout: Duration, at place: TestLine) async throws {
    let id = state.withLock { $0.makeID() }
    try await suspend(atMost: timeout) { (waiter: Suspension<Void>, isCancelled) in
      state.withLock { $0.watch(waiter, id: id, forEnd: forEnd, isCancelled: isCancelled()) }.run()
    } onEnd: { [self] in
      state.withLock { $0.cancelWatch(id) }.run()
    } late: {
      let actual = request == nil ? "no call has come that this script is for" : "its consumer has not ended"
      return WaitError(
        timeout, at: place, for: "its driven stream to be \(forEnd ? "ended" : "opened")", but: actual,
        fix: forEnd && request != nil
          ? "Cancel what iterates it before, or call its finish()" : "Begin what calls it before, such as an action")
    }
  }

  /// The one place that changes the state: the event under its lock, what it asks for after.
  ///
  /// In their order, so that no element overtakes those that were kept for the call. The consumer's leaving, which a sink may
  /// tell while it is ended here, has nothing to deliver and goes another way.
  @discardableResult
  private func act(_ event: (inout State) -> State.Actions?) -> Bool {
    order.withLock { _ in
      guard let actions = state.withLock({ event(&$0) }) else { return false }
      for element in actions.elements { actions.sink?.yield(element) }
      switch actions.ending {
      case .failed(let error)?: actions.sink?.finish(error)
      case .some: actions.sink?.finish(nil)
      case nil: break
      }
      actions.wake.run()
      return true
    }
  }
}
