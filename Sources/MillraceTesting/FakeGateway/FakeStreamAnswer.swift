/// The answer of a ``FakeStream`` to a scripted call.
enum FakeStreamAnswer<Request: Sendable, Element: Sendable>: Sendable {
  /// Gives these elements and ends, with the error if there is one.
  case elements([Element], failure: (any Error)?)
  /// Gives the elements that this gives, and ends; with its error if it throws one.
  case handler(@Sendable (Request) throws -> [Element])
  /// Gives elements as this does, in a task of its own, and ends when it returns or throws.
  case played(@Sendable (Request, _ yield: @Sendable (Element) -> Void) async throws -> Void)
  /// Does as the test says.
  case driven(DrivenStream<Request, Element>)
}

extension FakeStreamAnswer: FakeAnswering {
  var ending: FakeEnding? {
    switch self {
    case .elements(_, nil): .replied
    case .elements(_, let failure?): .failed(failure)
    case .handler, .played, .driven: nil
    }
  }
}
