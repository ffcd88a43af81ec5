/// Says what a ``FakeStream`` does: for the calls to come, or for those that match.
///
/// Which script a call takes, ``FakeCallScripting`` says; a call that finds none fails the test.
public protocol FakeStreamScripting<Request, Element>: FakeScripting {
  associatedtype Element: Sendable

  /// The fake whose calls they are.
  var stream: FakeStream<Request, Element> { get }
}

extension FakeStreamScripting {
  /// Gives these elements from the next `times` calls and ends, with an error if there is one.
  ///
  /// The calls have to be made.
  public func reply(
    _ elements: [Element], failing error: (any Error)? = nil, times: Int = 1, file: StaticString = #filePath,
    line: UInt = #line
  ) {
    script(.elements(elements, failure: error), times: times, ScriptPlace(file, line))
  }

  /// Lets every call give these elements and end for which there is no other script; it may be left unused.
  public func always(_ elements: [Element], file: StaticString = #filePath, line: UInt = #line) {
    script(.elements(elements, failure: nil), times: nil, ScriptPlace(file, line))
  }

  /// Lets every call give what this gives, and end, for which there is no other script; it may be left unused.
  ///
  /// It is called within the call. What it throws the sequence ends with.
  public func always(
    file: StaticString = #filePath, line: UInt = #line,
    _ handler: @escaping @Sendable (_ request: Request) throws -> [Element]
  ) {
    script(.handler(handler), times: nil, ScriptPlace(file, line))
  }

  /// Lets the test give the elements of the next call one by one, and end it; the call has to be made.
  public func drive(file: StaticString = #filePath, line: UInt = #line) -> DrivenStream<Request, Element> {
    let driven = DrivenStream<Request, Element>()
    script(.driven(driven), times: 1, ScriptPlace(file, line))
    return driven
  }

  private func script(_ answer: FakeStreamAnswer<Request, Element>, times: Int?, _ place: ScriptPlace) {
    stream.add(FakeScript(answer, times: times, matches: matches, place: place))
  }
}
