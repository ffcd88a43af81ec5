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
