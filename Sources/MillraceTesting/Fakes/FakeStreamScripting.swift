/// Scripts a ``FakeStream``: for later calls, or for the calls that match.
///
/// Which script a call takes, ``FakeCallScripting`` says; a call that finds none fails the test.
public protocol FakeStreamScripting<Request, Element>: FakeScripting {
  associatedtype Element: Sendable

  /// The fake whose calls they are.
  var stream: FakeStream<Request, Element> { get }
}

extension FakeStreamScripting {
  /// Delivers these elements from the next `times` calls and ends, with an error if there is one.
  ///
  /// The calls have to be made.
  public func reply(
    _ elements: [Element], failing error: (any Error)? = nil, times: Int = 1, file: StaticString = #filePath,
    line: UInt = #line
  ) {
    script(.elements(elements, failure: error), times: times, TestLine(file, line))
  }

  /// Delivers these elements from every call without another script, and ends; it may be left unused.
  public func always(_ elements: [Element], file: StaticString = #filePath, line: UInt = #line) {
    script(.elements(elements, failure: nil), times: nil, TestLine(file, line))
  }

  /// Delivers the elements of this closure from every call without another script, and ends; it may be left unused.
  ///
  /// It is called within the call. The sequence ends with its error.
  public func always(
    file: StaticString = #filePath, line: UInt = #line,
    _ handler: @escaping @Sendable (_ request: Request) throws -> [Element]
  ) {
    script(.handler(handler), times: nil, TestLine(file, line))
  }

  /// Returns a stream by which the test delivers the elements of the next call one by one, and ends it; the call has to be made.
  public func drive(file: StaticString = #filePath, line: UInt = #line) -> DrivenStream<Request, Element> {
    let driven = DrivenStream<Request, Element>()
    script(.driven(driven), times: 1, TestLine(file, line))
    return driven
  }

  private func script(_ answer: FakeStreamAnswer<Request, Element>, times: Int?, _ location: TestLine) {
    stream.add(FakeScript(answer, times: times, matches: matches, location: location))
  }
}

/// The answer of a ``FakeStream`` to a scripted call.
enum FakeStreamAnswer<Request: Sendable, Element: Sendable>: Sendable {
  /// Delivers these elements and ends, with the error if there is one.
  case elements([Element], failure: (any Error)?)
  /// Delivers the elements of this closure, and ends; with its error if it throws one.
  case handler(@Sendable (Request) throws -> [Element])
  /// Delivers elements as this closure does, in a task of its own, and ends when it returns or throws.
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

/// The destination of the elements of a fake stream, for any type of sequence.
struct StreamSink<Element: Sendable>: Sendable {
  let yield: @Sendable (Element) -> Void
  /// Ends the sequence; nil is without an error.
  let finish: @Sendable ((any Error)?) -> Void
}
