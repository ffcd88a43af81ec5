import Millrace

/// A call of a ``FakeCall`` that waits until the test says how it ends.
///
/// ```swift
/// let held = gateway.fetches.hold()
/// store.send(.reload)
/// #expect(try await held.arrived() == "all")   // the handler stands in the call
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
  /// Returns at once when it has, whether it is held still or not. When it returns, the call stands and waits for the
  /// test, unless it was released before.
  ///
  /// - Parameters:
  ///   - timeout: the real time that the test waits at most; without meaning in a world of a simulation, which ends a wait itself.
  ///   - file: the file that a ``WaitError`` names.
  ///   - line: the line that a ``WaitError`` names.
  /// - Returns: what the call was made with.
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
        timeout, at: TestLine(file: file, line: line), for: "a call of \(reports.name) that it holds",
        but: "no call has come that this script is for", fix: "Begin what calls it before, such as an action")
    }
  }

  /// Lets the call return this response.
  ///
  /// When this returns, the caller has been resumed, and continues when its executor runs it. To end a call twice, or after
  /// `finish()`, is a failure of the test, at this line.
  ///
  /// - Returns: false when the call is over, because its task was cancelled before.
  @discardableResult
  public func release(_ response: Response, file: StaticString = #filePath, line: UInt = #line) -> Bool {
    settle(.success(response), ScriptPlace(file, line))
  }

  /// Lets the call throw this error; otherwise as ``release(_:file:line:)``.
  @discardableResult
  public func fail(_ error: any Error, file: StaticString = #filePath, line: UInt = #line) -> Bool {
    settle(.failure(error), ScriptPlace(file, line))
  }

  private func settle(_ result: Result<Response, any Error>, _ place: ScriptPlace) -> Bool {
    let (effect, actions) = state.withLock { $0.settle(result) }
    perform(actions)
    if let problem = reports.problem(of: effect) { reports.fail(problem, at: place) }
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
  /// Lets the call return; otherwise as ``release(_:file:line:)``.
  @discardableResult
  public func release(file: StaticString = #filePath, line: UInt = #line) -> Bool {
    release((), file: file, line: line)
  }
}
