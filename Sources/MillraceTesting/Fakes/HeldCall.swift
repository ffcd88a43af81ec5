import Millrace

/// A call of a ``FakeCall`` that waits until the test says how it ends.
///
/// ```swift
/// let held = gateway.fetches.hold()
/// store.send(.reload)
/// #expect(try await held.arrived() == "all")   // the handler waits in the call
/// held.release([])                             // and continues
/// ```
///
/// Several calls may be held at once and be released in any order, which forces an interleaving. A call may be released
/// before it comes; it then does not wait. Nothing here yields or polls. It may be used from any
/// thread; each call is one atomic step.
public final class HeldCall<Request: Sendable, Response: Sendable>: Sendable {
  private typealias Caller = Suspension<Result<Response, any Error>>
  private typealias State = HeldCallState<Request, Response, Caller, Suspension<Request>>

  private let state = Lock(State())
  private let ignoresCancellation: Bool
  private let reports: FakeReports

  init(ignoringCancellation: Bool, reports: FakeReports) {
    ignoresCancellation = ignoringCancellation
    self.reports = reports
  }

  /// The request of the call; nil until the call comes.
  public var request: Request? { state.withLock { $0.request } }

  /// Waits until the call has come.
  ///
  /// Returns at once when it has, whether it is held still or not. When it returns, the call waits for the
  /// test, unless it was released before.
  ///
  /// - Parameters:
  ///   - timeout: the real time that the test waits at most; without meaning in a world of a simulation, which ends a wait itself.
  ///   - file: the file that a ``WaitError`` names.
  ///   - line: the line that a ``WaitError`` names.
  /// - Returns: the request of the call.
  /// - Throws: `CancellationError` at once when the waiting task is cancelled, as a test's time limit does, and when
  ///   the fake was finished and no call had come; ``WaitError`` when the timeout is over.
  @discardableResult
  public func arrived(
    timeout: Duration = .seconds(10), file: StaticString = #filePath, line: UInt = #line
  ) async throws -> Request {
    let id = state.withLock { $0.makeID() }
    return try await suspend(atMost: timeout) { (watcher: Suspension<Request>, isCancelled) in
      act { $0.watch(watcher, id: id, isCancelled: isCancelled()) }
    } onEnd: { [self] in
      act { $0.cancelWatch(id) }
    } late: {
      WaitError(
        timeout, at: TestLine(file, line), for: "a call of \(reports.name) that it holds",
        but: "no call has come that this script is for", fix: "Begin what calls it before, such as an action")
    }
  }

  /// Returns this response from the call.
  ///
  /// When this returns, the caller has been resumed, and continues when its executor runs it. To end a call twice, or after
  /// `finish()`, is a failure of the test, at this line.
  ///
  /// - Returns: false when the call is over, because its task was cancelled before.
  @discardableResult
  public func release(_ response: Response, file: StaticString = #filePath, line: UInt = #line) -> Bool {
    settle(.success(response), TestLine(file, line))
  }

  /// Throws this error from the call; otherwise as ``release(_:file:line:)``.
  @discardableResult
  public func fail(_ error: any Error, file: StaticString = #filePath, line: UInt = #line) -> Bool {
    settle(.failure(error), TestLine(file, line))
  }

  private func settle(_ result: Result<Response, any Error>, _ location: TestLine) -> Bool {
    let (effect, actions) = state.withLock { $0.settle(result) }
    perform(actions)
    if let problem = reports.problem(of: effect) { reports.fail(problem, at: location) }
    return effect == .counts
  }

  /// Whether the call was released, or cancelled.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// Ends what waits, because the test ends.
  func abandon() {
    act { $0.abandon() }
  }

  /// Stands in the call until the test says how it ends; called by the task of the call.
  func stand(_ request: Request) async throws -> Response {
    if ignoresCancellation {
      let result = await withCheckedContinuation { (caller: Caller) in
        act { $0.arrive(caller, request, isCancelled: false) }
      }
      guard let result else { throw CancellationError() }
      return try result.get()
    }
    return try await suspend { (caller: Caller, isCancelled) in
      act { $0.arrive(caller, request, isCancelled: isCancelled()) }
    } onCancel: {
      act { $0.cancel() }
    }.get()
  }

  /// The one place that changes the state: the event under the lock, what it asks for after.
  private func act(_ event: (inout State) -> State.Actions) {
    perform(state.withLock { event(&$0) })
  }

  private func perform(_ actions: State.Actions) {
    for watcher in actions.watchers { watcher.resume(returning: actions.request) }
    actions.caller?.resume(returning: actions.result)
  }
}

extension HeldCall where Response == Void {
  /// Returns from the call; otherwise as ``release(_:file:line:)``.
  @discardableResult
  public func release(file: StaticString = #filePath, line: UInt = #line) -> Bool {
    release((), file: file, line: line)
  }
}

/// One call that waits for the test, and those who wait for it to come, as a value without tasks and locks.
struct HeldCallState<Request: Sendable, Response: Sendable, Caller: Sendable, Watcher: Sendable>: Sendable {
  /// The tasks to resume after the lock around this value was released, the watchers first.
  struct Actions: Sendable {
    var watchers: [Watcher] = []
    /// The value for the watchers; nil is a cancellation.
    var request: Request?
    var caller: Caller?
    /// The value for the caller; nil is a cancellation.
    var result: Result<Response, any Error>?
  }

  /// The result of an attempt of the test to end the call.
  enum Effect: Sendable, Equatable {
    /// The call ends by it.
    case counts
    /// The task of the call was cancelled before.
    case tooLate
    /// The test had said it before.
    case repeated(wasCancelled: Bool)
    /// The test had ended before, with the call or without one.
    case afterTheEnd(hasCome: Bool)
  }

  private enum End {
    /// By the test.
    case letGo
    /// Its task was cancelled; whether the test has said how it ends all the same.
    case cancelled(isSettled: Bool)
    /// The test ended before it.
    case abandoned
  }

  private enum Phase {
    /// No call came. Becomes `settled` or `standing`.
    case expected
    /// No call came, and the first one gets this at once. Becomes `over` with it.
    case settled(Result<Response, any Error>)
    /// The call stands and waits. Becomes `over` when the test says how it ends, or when it is cancelled.
    case standing(Caller, Request)
    /// The call has ended, or is not waited for any more.
    case over(Request?, End)
  }

  private var phase = Phase.expected
  private var watchers: [(id: Int, watcher: Watcher)] = []
  private var lastID = 0

  init() {}

  /// The request of the call, once it came.
  var request: Request? {
    switch phase {
    case .expected, .settled: nil
    case .standing(_, let request): request
    case .over(let request, _): request
    }
  }

  /// Whether the call has ended, or is not waited for any more.
  var isOver: Bool {
    if case .over = phase { true } else { false }
  }

  /// A number that no other waiting task has.
  mutating func makeID() -> Int {
    lastID += 1
    return lastID
  }

  /// The call comes.
  mutating func arrive(_ caller: Caller, _ request: Request, isCancelled: Bool) -> Actions {
    var actions = Actions(watchers: takeWatchers(), request: request, caller: caller)
    switch phase {
    case .expected, .standing:
      if isCancelled {
        phase = .over(request, .cancelled(isSettled: false))
        return actions
      }
      phase = .standing(caller, request)
      actions.caller = nil
    case .settled(let result):
      phase = .over(request, isCancelled ? .cancelled(isSettled: true) : .letGo)
      if !isCancelled { actions.result = result }
    case .over:
      actions.result = .failure(FakeGatewayError.finished)
    }
    return actions
  }

  /// The test says how the call ends; the first word counts.
  mutating func settle(_ result: Result<Response, any Error>) -> (effect: Effect, actions: Actions) {
    switch phase {
    case .expected:
      phase = .settled(result)
      return (.counts, Actions())
    case .standing(let caller, let request):
      phase = .over(request, .letGo)
      return (.counts, Actions(caller: caller, result: result))
    case .settled, .over(_, .letGo):
      return (.repeated(wasCancelled: false), Actions())
    case .over(let request, .cancelled(let isSettled)):
      phase = .over(request, .cancelled(isSettled: true))
      return (isSettled ? .repeated(wasCancelled: true) : .tooLate, Actions())
    case .over(let request, .abandoned):
      return (.afterTheEnd(hasCome: request != nil), Actions())
    }
  }

  /// The task of the call was cancelled; nothing is left to do when it was answered before, or comes later.
  mutating func cancel() -> Actions {
    guard case .standing(let caller, let request) = phase else { return Actions() }
    phase = .over(request, .cancelled(isSettled: false))
    return Actions(caller: caller)
  }

  /// Ends the held call and all waits for it with the test.
  mutating func abandon() -> Actions {
    var actions = Actions(watchers: takeWatchers())
    switch phase {
    case .expected, .settled:
      phase = .over(nil, .abandoned)
    case .standing(let caller, let request):
      phase = .over(request, .abandoned)
      (actions.caller, actions.result) = (caller, .failure(FakeGatewayError.finished))
    case .over:
      break
    }
    return actions
  }

  /// A task wants to know of the call; it is resumed at once if that is there, and with nil if it never comes.
  mutating func watch(_ watcher: Watcher, id: Int, isCancelled: Bool) -> Actions {
    switch phase {
    case .expected where !isCancelled, .settled where !isCancelled:
      watchers.append((id, watcher))
      return Actions()
    case .expected, .settled, .standing, .over:
      return Actions(watchers: [watcher], request: isCancelled ? nil : request)
    }
  }

  /// A task that waits was cancelled; nothing is left to do when it was woken before, or registers later.
  mutating func cancelWatch(_ id: Int) -> Actions {
    guard let index = watchers.firstIndex(where: { $0.id == id }) else { return Actions() }
    return Actions(watchers: [watchers.remove(at: index).watcher])
  }

  private mutating func takeWatchers() -> [Watcher] {
    defer { watchers = [] }
    return watchers.map(\.watcher)
  }
}
