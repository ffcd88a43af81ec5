import Millrace

/// The name and the source location of a fake, and its failures as sentences.
struct FakeReports: Sendable {
  let name: String
  let location: TestLine
  /// The scripts in words.
  private let ways: String
  private let reporter = FailureReporter()

  /// The number of characters that are shown of a request.
  private static var limit: Int { 200 }

  init(name: String, ways: String, location: TestLine) {
    self.name = name
    self.location = location
    self.ways = ways
  }

  /// A call as it might be written.
  func text(_ request: Any) -> String {
    if request is Void { return "\(name)()" }
    let text = ValueText.of(request, limit: Self.limit)
    return text.hasPrefix("(") ? name + text : "\(name)(\(text))"
  }

  func fail(_ message: String, at location: TestLine) {
    reporter.fail(message, file: location.file, line: location.line)
  }

  /// Waits until all that was reported before has been recorded for the test.
  func settle() async {
    await reporter.settle()
  }

  /// No script was left for a call; gives the error that it gets.
  func unexpected(_ request: Any, number: Int, scriptsLeft: Int) -> FakeGatewayError {
    let left =
      switch scriptsLeft {
      case 0: "no script is left for it"
      case 1: "the one script that is left is for other calls"
      default: "the \(scriptsLeft) scripts that are left are for other calls"
      }
    let message = """
      \(text(request)) was called (call \(number) of this fake), and \(left). Script it before it is made, with \
      \(ways) of this fake, or of its when(_:).
      """
    fail(message, at: location)
    return FakeGatewayError(.unexpectedCall, message)
  }

  /// A script says an error for a sequence that cannot throw.
  func cannotThrow(_ error: any Error) {
    fail(
      """
      A script of \(name) ends its sequence with the error \(error), but \(name) returns an AsyncStream, which cannot \
      throw, and just ends. Let the script end without an error, or let the method return an AsyncThrowingStream.
      """, at: location)
  }

  /// The failure of a test that ends a held call wrongly; nil for none.
  func problem<Request, Response, Caller, Watcher>(
    of effect: HeldCallState<Request, Response, Caller, Watcher>.Effect
  ) -> String? {
    switch effect {
    case .counts, .tooLate: nil
    case .repeated(wasCancelled: false):
      """
      This held call of \(name) was released or failed before, and continues by that. Take this line out, or hold another \
      call for it.
      """
    case .repeated(wasCancelled: true):
      """
      This held call of \(name) was released or failed before, and was over by then, as its task was cancelled. Take this \
      line out, or hold another call for it.
      """
    case .afterTheEnd(hasCome: true):
      """
      This held call of \(name) was ended by finish() before this line. Release or fail it before finish().
      """
    case .afterTheEnd(hasCome: false):
      """
      No call of \(name) had come for this when finish() was called or the fake was released, and none is held any more. Take \
      this line out, find out why the call is not made, or call finish() after this line.
      """
    }
  }

  /// The failures at the end of the test.
  func leftovers<Request, Answer, Waiter>(_ left: FakeState<Request, Answer, Waiter>.Leftovers) {
    unused(left)
    for call in left.calls {
      fail(
        """
        \(text(call.request)) (call \(call.number)) got what is scripted here, and has not ended. Before finish(), let \
        go what holds it, await what made it, or cancel that.
        """, at: call.location)
    }
  }

  /// The failure of a fake that is released without a call of `finish()`.
  ///
  /// A call that is open then is that of a task that ends as well.
  func unfinished<Request, Answer, Waiter>(_ left: FakeState<Request, Answer, Waiter>.Leftovers) {
    unused(left, "and then released without finish()", "; and end the test with finish() of its gateway")
  }

  /// The failures for unused scripts.
  private func unused<Request, Answer, Waiter>(
    _ left: FakeState<Request, Answer, Waiter>.Leftovers, _ end: String = "in all", _ fix: String = ""
  ) {
    let calls = "\(name) was called \(times(left.callCount)) \(end)"
    for unused in left.scripts {
      let (script, key) = (unused.script, unused.key)
      let part = script.used == 0 ? "was never used" : "was used \(script.used) of \(script.times ?? 0) times"
      let message =
        if let key {
          """
          The recorded call of \(name) with \(Self.shortened(key)) that is replayed here was not made; \
          \(calls). Find out why, or record the file again\(fix).
          """
        } else {
          """
          What is scripted here for \(name) \(part); \(calls). Take it out, find out why the call is not made, or use \
          always(…), which may be left unused\(fix).
          """
        }
      fail(message, at: script.location)
    }
  }

  private static func shortened(_ text: String) -> String {
    text.count > limit ? text.prefix(limit) + "…" : text
  }

  private func times(_ count: Int) -> String {
    count == 1 ? "once" : count == 0 ? "0 times" : "\(count) times"
  }
}
