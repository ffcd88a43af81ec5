public import Millrace

/// One method of a gateway, scripted by a test.
///
/// ```swift
/// let fetches = FakeCall<String, [Record]>("fetch")
/// fetches.reply([first])                       // the next call
/// fetches.when("all").fail(Offline())          // the next call for all
/// fetches.always { request in [] }             // every other one
/// let held = fetches.hold()                    // the next call waits for the test
/// fetches.calls.map(\.request)                 // the requests
/// await fetches.finish()                       // every script was used, every call has ended
/// ```
///
/// A call that finds no script throws ``FakeGatewayError/Code/unexpectedCall``, and fails the test at the line where
/// the fake was made. Failures fail the test in which the fake was made, whichever task they come from. When it
/// is released without `finish()`, unused scripts fail the test as well.
///
/// It may be used from any thread. Calls are served in the order in which they come; what answers at once does not
/// suspend its caller.
///
/// **Cost.** Under 1 µs for a call that is answered at once, so that the same fakes serve in a load benchmark; that of
/// the log is in it, see ``FakeGateway/keepLog(_:)``.
public final class FakeCall<Request: Sendable, Response: Sendable>: FakeCallScripting {
  /// The name of the fake in failures.
  public var name: String { reports.name }

  /// The fake itself, whose scripts are for all calls.
  public var call: FakeCall<Request, Response> { self }

  /// Nil: scripts that are given to the fake itself are for all calls.
  public var matches: (@Sendable (Request) -> Bool)? { nil }

  @usableFromInline let core = Lock(FakeCore<Request, FakeAnswer<Request, Response>>())
  let reports: FakeReports

  /// Creates a fake without scripts.
  ///
  /// - Parameters:
  ///   - name: the name of the method, for failures.
  ///   - file: the file of failures that belong to no script.
  ///   - line: the line of failures that belong to no script. A fake that hands on these two from its own initialiser
  ///     has them where the test made it.
  public init(_ name: String, file: StaticString = #filePath, line: UInt = #line) {
    reports = FakeReports(
      name: name, ways: "reply(…), fail(_:), hold() or always(…)", location: TestLine(file, line))
  }

  deinit { tellUnused() }

  /// Performs a call, and answers it by the script for it.
  ///
  /// - Throws: the error that the script says; ``FakeGatewayError`` when there is none; `CancellationError` when the call is
  ///   held, or delayed by faults, and its task is cancelled. A call that is answered at once does not look at that.
  @inlinable
  public func callAsFunction(_ request: Request) async throws -> Response {
    let intake = core.withLock { $0.arrive(request) }
    guard intake.isPlain, let answer = intake.call.script?.answer else {
      return try await attend(to: intake, request)
    }
    switch answer {
    case .reply(let response): return response
    case .failure(let error): throw error
    case .handler(let handler):
      do {
        let response = try await handler(request)
        core.end(intake.call.number, .replied)
        return response
      } catch {
        end(intake.call.number, throwing: error)
        throw error
      }
    case .numbered, .held: return try await attend(to: intake, request)
    }
  }

  /// Creates a call for a method that cannot throw, or throws only errors of its own type.
  ///
  /// ```swift
  /// func count() async -> Int { await counts { _ in 0 } }
  /// ```
  ///
  /// - Parameters:
  ///   - request: the arguments of the method.
  ///   - otherwise: a closure that handles an error: one that a script says, a fault, a cancellation, or the
  ///     ``FakeGatewayError`` of a call without a script, which has failed the test before.
  /// - Throws: the error that `otherwise` throws.
  public func callAsFunction<Failure: Error>(
    _ request: Request, otherwise: (any Error) throws(Failure) -> Response
  ) async throws(Failure) -> Response {
    do { return try await self(request) } catch { return try otherwise(error) }
  }

  /// The number of calls so far.
  public var callCount: Int { core.withLock { $0.state.log.count } }

  /// The calls that were made so far, oldest first; as many as the log keeps.
  public var calls: [FakeCallEntry<Request>] { core.withLock { $0.state.log.kept } }

  /// The calls so far, oldest first, as far as the log keeps them.
  public var requests: [Request] { calls.map(\.request) }

  /// Waits until `count` calls were made in all; they may have ended.
  ///
  /// - Parameters:
  ///   - count: the number of calls.
  ///   - timeout: the real time that the test waits at most; without meaning in a world of a simulation, which ends a wait itself.
  ///   - file: the file that a ``WaitError`` names.
  ///   - line: the line that a ``WaitError`` names.
  /// - Throws: `CancellationError` at once when the waiting task is cancelled, as a test's time limit does, and when the fake was
  ///   finished; ``WaitError`` when the timeout is over.
  public func waitForCalls(
    _ count: Int = 1, timeout: Duration = .seconds(10), file: StaticString = #filePath, line: UInt = #line
  ) async throws {
    let id = core.withLock { $0.state.makeID() }
    try await suspend(atMost: timeout) { (suspension: Suspension<Void>, isCancelled) in
      core.withLock { $0.state.watch(suspension, id: id, count: count, isCancelled: isCancelled()) }.run()
    } onEnd: { [self] in
      core.withLock { $0.state.cancelWatch(id) }.run()
    } late: {
      WaitError(
        timeout, at: TestLine(file, line), for: "\(WaitError.count(count, "call")) of \(name)",
        but: "it was called \(WaitError.count(callCount, "time"))", fix: "Begin what calls it before, such as an action"
      )
    }
  }
}

extension FakeCall where Request == Void {
  /// Performs a call, and answers it by the script for it; a cancelled task ends it as it ends a call with a request.
  ///
  /// - Throws: the error of the script; `CancellationError` where the cancellation ended the call; ``FakeGatewayError`` without
  /// a script.
  @inlinable
  public func callAsFunction() async throws -> Response {
    try await self(())
  }

  /// Creates a call for a method that cannot throw, or throws only errors of its own type; otherwise as with a request.
  ///
  /// A cancellation that ends the call is given to `otherwise` like any other error; only the errors it throws are thrown.
  public func callAsFunction<Failure: Error>(
    otherwise: (any Error) throws(Failure) -> Response
  ) async throws(Failure) -> Response {
    try await self((), otherwise: otherwise)
  }
}
