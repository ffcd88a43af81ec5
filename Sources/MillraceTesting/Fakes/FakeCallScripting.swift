/// Scripts a ``FakeCall``: for later calls, or for the calls that match.
///
/// A call takes the first of these that is for it: what was scripted for calls that match, first written first; what was
/// recorded for such a call; what `always` answers those that match, last written first; what is next in order; what
/// `always` answers. A call that finds none fails the test.
///
/// Scripts may be added from any thread, at any time, and hold for the calls that come after.
public protocol FakeCallScripting<Request, Response>: FakeScripting {
  associatedtype Response: Sendable

  /// The fake whose calls they are.
  var call: FakeCall<Request, Response> { get }
}

extension FakeCallScripting {
  /// Returns `response` from the next `times` calls; the test fails unless all are made.
  public func reply(
    _ response: Response, times: Int = 1, file: StaticString = #filePath, line: UInt = #line
  ) {
    script(.reply(response), times: times, TestLine(file, line))
  }

  /// Answers the next `times` calls by a closure; the test fails unless all are made.
  ///
  /// It is called in the task of the caller. The call throws its error.
  public func reply(
    times: Int = 1, file: StaticString = #filePath, line: UInt = #line,
    _ handler: @escaping @Sendable (_ request: Request) async throws -> Response
  ) {
    script(.handler(handler), times: times, TestLine(file, line))
  }

  /// Throws `error` from the next `times` calls; the test fails unless all are made.
  public func fail(
    _ error: any Error, times: Int = 1, file: StaticString = #filePath, line: UInt = #line
  ) {
    script(.failure(error), times: times, TestLine(file, line))
  }

  /// Returns this value from every call without another script; it may be left unused, and takes the place of an
  /// earlier one.
  public func always(_ response: Response, file: StaticString = #filePath, line: UInt = #line) {
    script(.reply(response), times: nil, TestLine(file, line))
  }

  /// Calls this closure for every call without another script; it may be left unused, and takes the place of
  /// an earlier one.
  ///
  /// The task of the caller calls the closure, so that several may run at a time. The call throws the error of the closure.
  public func always(
    file: StaticString = #filePath, line: UInt = #line,
    _ handler: @escaping @Sendable (_ request: Request) async throws -> Response
  ) {
    script(.handler(handler), times: nil, TestLine(file, line))
  }

  /// Calls this closure with the number of the call, too; otherwise as ``always(file:line:_:)``.
  ///
  /// For a gateway that is asked over and over, and has something else to say each time. The calls of a fake are counted
  /// from 1, including calls that other scripts answered.
  public func always(
    byNumber handler: @escaping @Sendable (_ request: Request, _ number: Int) async throws -> Response,
    file: StaticString = #filePath, line: UInt = #line
  ) {
    script(.numbered(handler), times: nil, TestLine(file, line))
  }

  /// Holds the next call until the test releases it or makes it fail; the call has to be made.
  ///
  /// When the task of the call is cancelled, the call ends with a `CancellationError`. With `ignoringCancellation` it
  /// waits for the test all the same, as does work that does not notice that it is cancelled.
  public func hold(
    ignoringCancellation: Bool = false, file: StaticString = #filePath, line: UInt = #line
  ) -> HeldCall<Request, Response> {
    let held = HeldCall<Request, Response>(ignoringCancellation: ignoringCancellation, reports: call.reports)
    script(.held(held), times: 1, TestLine(file, line))
    return held
  }

  private func script(_ answer: FakeAnswer<Request, Response>, times: Int?, _ location: TestLine) {
    call.add(FakeScript(answer, times: times, matches: matches, location: location))
  }
}

extension FakeCallScripting where Response == Void {
  /// Returns from the next `times` calls; the test fails unless all are made.
  public func reply(times: Int = 1, file: StaticString = #filePath, line: UInt = #line) {
    reply((), times: times, file: file, line: line)
  }

  /// Returns from every call without another script; it may be left unused.
  public func always(file: StaticString = #filePath, line: UInt = #line) {
    always((), file: file, line: line)
  }
}

/// One method of a gateway that is faked: a ``FakeCall`` or a ``FakeStream``.
public protocol FakeMethod: AnyObject, Sendable {
  /// Fails the test for every unused script and every open call, and releases held calls.
  ///
  /// It does not wait; ``finish()`` does.
  func end()

  /// Waits until no call is open, or the task is cancelled.
  func waitUntilQuiet() async

  /// Waits until all failures that were reported before are recorded for the test, also in a cancelled task.
  func settle() async

  /// Takes the times of the log from this clock, counted from now.
  func use(clock: any Clock<Duration>)

  /// Keeps `size` calls in the log.
  func keepLog(_ size: FakeLogSize)

  /// Injects faults into calls from now on; nil ends this.
  func inject(_ faults: FakeFaults?)
}

extension FakeMethod {
  /// Fails the test for each unused reply and each open call of this method, as `finish` of a ``FakeGateway`` does for all
  /// methods.
  ///
  /// Cancellation has no effect on it.
  public func finish() async {
    await [self].finish()
  }
}

extension [any FakeMethod] {
  /// The longest real time that a cancelled call may take to end.
  private var patience: Duration { .seconds(1) }

  /// Ends all of them, and waits until their failures are recorded.
  func finish() async {
    await waitForCancelled()
    // All of them, before any call that one of them releases continues.
    for fake in self { fake.end() }
    for fake in self { await fake.settle() }
  }

  /// Waits a moment for open calls to end.
  ///
  /// An action has its outcome before its task is cancelled, so that a test may come here between the two. In a world
  /// both are one step.
  private func waitForCancelled() async {
    if WorldRuntime.isOwnedByThisThread { return }
    await withTaskGroup { group in
      group.addTask { for fake in self { await fake.waitUntilQuiet() } }
      group.addTask { [patience] in try? await Task.sleep(for: patience) }
      await group.next()
      group.cancelAll()
    }
  }
}
