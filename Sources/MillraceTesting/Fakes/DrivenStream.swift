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
  /// - Returns: the request of the call.
  /// - Throws: `CancellationError` at once when the waiting task is cancelled, as a test's time limit does, and when
  ///   the fake was finished and no call had come; ``WaitError`` when the timeout is over.
  @discardableResult
  public func opened(
    timeout: Duration = .seconds(10), file: StaticString = #filePath, line: UInt = #line
  ) async throws -> Request {
    try await wait(forEnd: false, atMost: timeout, at: TestLine(file, line))
    guard let request else { throw CancellationError() }
    return request
  }

  /// Waits until the stream has ended, by the test or because its consumer went away.
  ///
  /// - Parameters:
  ///   - timeout: the real time that the test waits at most; without meaning in a world of a simulation, which ends a wait itself.
  ///   - file: the file that a ``WaitError`` names.
  ///   - line: the line that a ``WaitError`` names.
  /// - Returns: its end.
  /// - Throws: `CancellationError` at once when the waiting task is cancelled, as a test's time limit does; ``WaitError`` when the
  ///   timeout is over.
  @discardableResult
  public func ended(
    timeout: Duration = .seconds(10), file: StaticString = #filePath, line: UInt = #line
  ) async throws -> FakeEnding {
    try await wait(forEnd: true, atMost: timeout, at: TestLine(file, line))
    return ending ?? .cancelled
  }

  /// Delivers an element to the consumer, or keeps it until there is a consumer.
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

  /// Notes that the consumer has left.
  func leave() {
    state.withLock { $0.leave() }.wake.run()
  }

  /// Ends what waits, because the test ends.
  func abandon() {
    act { $0.abandon() }
  }

  private func wait(forEnd: Bool, atMost timeout: Duration, at location: TestLine) async throws {
    let id = state.withLock { $0.makeID() }
    try await suspend(atMost: timeout) { (waiter: Suspension<Void>, isCancelled) in
      state.withLock { $0.watch(waiter, id: id, forEnd: forEnd, isCancelled: isCancelled()) }.run()
    } onEnd: { [self] in
      state.withLock { $0.cancelWatch(id) }.run()
    } late: {
      let actual = request == nil ? "no call has come that this script is for" : "its consumer has not ended"
      return WaitError(
        timeout, at: location, for: "its driven stream to be \(forEnd ? "ended" : "opened")", but: actual,
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

/// One stream that a test drives, as a value without tasks and locks.
struct DrivenStreamState<Request: Sendable, Element: Sendable, Sink: Sendable, Waiter: Sendable>: Sendable {
  /// The work to do after the lock around this value was released, in this order.
  struct Actions: Sendable {
    /// The destination of the elements and the end.
    var sink: Sink?
    var elements: [Element] = []
    /// The end of the sequence; nil while it continues.
    var ending: FakeEnding?
    var wake = WakeAction<Waiter>.none
  }

  private enum Phase {
    /// No call came; what is yielded and the end are kept for it. Becomes `open`, or `ended` with the end that is kept.
    case expected([Element], FakeEnding?)
    /// The stream is open. Becomes `ended`.
    case open(Request, Sink)
    /// The stream was ended by the test, by its consumer, or by the end of the test.
    case ended(Request?, FakeEnding)
  }

  private var phase = Phase.expected([], nil)
  /// The tasks that wait for the stream to be open, which is 1, or ended, which is 2.
  private var watchers = CountWaiters<Waiter>()
  private var lastID = 0

  init() {}

  /// The request of the stream; nil until the stream is open.
  var request: Request? {
    switch phase {
    case .expected: nil
    case .open(let request, _): request
    case .ended(let request, _): request
    }
  }

  /// The end; nil until then.
  var ending: FakeEnding? {
    if case .ended(_, let ending) = phase { ending } else { nil }
  }

  private var stage: Int {
    switch phase {
    case .expected: 0
    case .open: 1
    case .ended: 2
    }
  }

  /// A number that no other waiting task has.
  mutating func makeID() -> Int {
    lastID += 1
    return lastID
  }

  /// The call comes; it gets what was kept for it.
  mutating func open(_ sink: Sink, _ request: Request) -> Actions {
    switch phase {
    case .expected(let elements, let ending):
      phase = ending.map { .ended(request, $0) } ?? .open(request, sink)
      return Actions(sink: sink, elements: elements, ending: ending, wake: takeWatchers())
    case .open, .ended:
      return Actions(sink: sink, ending: .failed(FakeGatewayError.finished))
    }
  }

  /// The test gives an element; nil when the stream has ended.
  mutating func yield(_ element: Element) -> Actions? {
    switch phase {
    case .expected(let elements, nil):
      phase = .expected(elements + [element], nil)
      return Actions()
    case .open(_, let sink):
      return Actions(sink: sink, elements: [element])
    case .expected, .ended:
      return nil
    }
  }

  /// The test ends the stream; nil when it has ended.
  mutating func end(_ ending: FakeEnding) -> Actions? {
    switch phase {
    case .expected(let elements, nil):
      phase = .expected(elements, ending)
      return Actions()
    case .open(let request, let sink):
      phase = .ended(request, ending)
      return Actions(sink: sink, ending: ending, wake: takeWatchers())
    case .expected, .ended:
      return nil
    }
  }

  /// The consumer went away; nothing is left to do when the stream was ended before.
  mutating func leave() -> Actions {
    guard case .open(let request, _) = phase else { return Actions() }
    phase = .ended(request, .cancelled)
    return Actions(wake: takeWatchers())
  }

  /// Ends the stream with the test, and resumes all waiting tasks.
  mutating func abandon() -> Actions {
    let error = FakeEnding.failed(FakeGatewayError.finished)
    if case .expected = phase {
      phase = .ended(nil, error)
      return Actions(wake: takeWatchers())
    }
    return end(error) ?? Actions()
  }

  /// Registers a task that waits until the stream is open or ended.
  mutating func watch(_ waiter: Waiter, id: Int, forEnd: Bool, isCancelled: Bool) -> WakeAction<Waiter> {
    if isCancelled { return .cancel(waiter) }
    let count = forEnd ? 2 : 1
    if count <= stage { return .wake([waiter]) }
    watchers.add(waiter, id: id, count: count)
    return .none
  }

  /// A task that waits was cancelled; nothing is left to do when it was woken before, or registers later.
  mutating func cancelWatch(_ id: Int) -> WakeAction<Waiter> {
    watchers.remove(id).map { .cancel($0) } ?? .none
  }

  private mutating func takeWatchers() -> WakeAction<Waiter> {
    .wake(watchers.take(reachedBy: stage))
  }
}
