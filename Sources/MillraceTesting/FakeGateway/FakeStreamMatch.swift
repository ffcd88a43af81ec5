/// The calls of a ``FakeStream`` that match, to be scripted.
public struct FakeStreamMatch<Request: Sendable, Element: Sendable>: FakeStreamScripting {
  /// The fake whose calls they are.
  public let stream: FakeStream<Request, Element>

  /// The predicate that chooses the calls.
  public let matches: (@Sendable (Request) -> Bool)?
}

extension FakeStream {
  /// The calls whose request fulfils this, to be scripted.
  ///
  /// `matches` is called for each call, with the fake locked: it must not use the fake.
  public func when(_ matches: @escaping @Sendable (_ request: Request) -> Bool) -> FakeStreamMatch<Request, Element> {
    FakeStreamMatch(stream: self, matches: matches)
  }
}

extension FakeStream where Request: Equatable {
  /// The calls with this request, to be scripted.
  public func when(_ request: Request) -> FakeStreamMatch<Request, Element> {
    when { $0 == request }
  }
}
