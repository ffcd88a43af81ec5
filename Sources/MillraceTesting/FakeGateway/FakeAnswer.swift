/// The answer of a ``FakeCall`` to a scripted call.
@usableFromInline
enum FakeAnswer<Request: Sendable, Response: Sendable>: Sendable {
  /// Returns this.
  case reply(Response)
  /// Throws this.
  case failure(any Error)
  /// Does as this does, in the task of the caller.
  case handler(@Sendable (Request) async throws -> Response)
  /// Does as this does, which is told the number of the call, in the task of the caller.
  case numbered(@Sendable (Request, Int) async throws -> Response)
  /// Waits for the test.
  case held(HeldCall<Request, Response>)
}

/// The kind of an answer, for the log.
@usableFromInline
protocol FakeAnswering: Sendable {
  /// The end of a call that is answered at once; nil if the answer takes time.
  var ending: FakeEnding? { get }
}

extension FakeAnswer: FakeAnswering {
  @inlinable var ending: FakeEnding? {
    switch self {
    case .reply: .replied
    case .failure(let error): .failed(error)
    case .handler, .numbered, .held: nil
    }
  }
}
