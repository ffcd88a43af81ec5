/// Says what a ``FakeCall`` does: for the calls to come, or for those that match.
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
    script(.reply(response), times: times, ScriptPlace(file, line))
  }

  /// Answers the next `times` calls by a closure; the test fails unless all are made.
  ///
  /// It is called in the task of the caller. What it throws the call throws.
  public func reply(
    times: Int = 1, file: StaticString = #filePath, line: UInt = #line,
    _ handler: @escaping @Sendable (_ request: Request) async throws -> Response
  ) {
    script(.handler(handler), times: times, ScriptPlace(file, line))
  }

  /// Throws `error` from the next `times` calls; the test fails unless all are made.
  public func fail(
    _ error: any Error, times: Int = 1, file: StaticString = #filePath, line: UInt = #line
  ) {
    script(.failure(error), times: times, ScriptPlace(file, line))
  }

  /// Lets every call return this for which there is no other script; it may be left unused, and takes the place of an
  /// earlier one.
  public func always(_ response: Response, file: StaticString = #filePath, line: UInt = #line) {
    script(.reply(response), times: nil, ScriptPlace(file, line))
  }

  /// Lets every call do as this does for which there is no other script; it may be left unused, and takes the place of
  /// an earlier one.
  ///
  /// The task of the caller calls the closure, so that several may run at a time. The call throws the error of the closure.
  public func always(
    file: StaticString = #filePath, line: UInt = #line,
    _ handler: @escaping @Sendable (_ request: Request) async throws -> Response
  ) {
    script(.handler(handler), times: nil, ScriptPlace(file, line))
  }

  /// Lets every call do as this does, which is told the number of the call too; otherwise as ``always(file:line:_:)``.
  ///
  /// For a gateway that is asked over and over, and has something else to say each time. The calls of a fake are counted
  /// from 1, those that other scripts answered among them.
  public func always(
    byNumber handler: @escaping @Sendable (_ request: Request, _ number: Int) async throws -> Response,
    file: StaticString = #filePath, line: UInt = #line
  ) {
    script(.numbered(handler), times: nil, ScriptPlace(file, line))
  }

  /// Lets the next call wait until the test releases it, or lets it fail; it has to be made.
  ///
  /// When the task of the call is cancelled, the call ends with a `CancellationError`. With `ignoringCancellation` it
  /// waits for the test all the same, as does work that does not notice that it is cancelled.
  public func hold(
    ignoringCancellation: Bool = false, file: StaticString = #filePath, line: UInt = #line
  ) -> HeldCall<Request, Response> {
    let held = HeldCall<Request, Response>(ignoringCancellation: ignoringCancellation, reports: call.reports)
    script(.held(held), times: 1, ScriptPlace(file, line))
    return held
  }

  private func script(_ answer: FakeAnswer<Request, Response>, times: Int?, _ place: ScriptPlace) {
    call.add(FakeScript(answer, times: times, matches: matches, place: place))
  }
}

extension FakeCallScripting where Response == Void {
  /// Returns from the next `times` calls; the test fails unless all are made.
  public func reply(times: Int = 1, file: StaticString = #filePath, line: UInt = #line) {
    reply((), times: times, file: file, line: line)
  }

  /// Lets every call return for which there is no other script; it may be left unused.
  public func always(file: StaticString = #filePath, line: UInt = #line) {
    always((), file: file, line: line)
  }
}
