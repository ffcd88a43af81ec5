/// The calls of a ``FakeCall`` that match, to be scripted.
public struct FakeCallMatch<Request: Sendable, Response: Sendable>: FakeCallScripting {
  /// The fake whose calls they are.
  public let call: FakeCall<Request, Response>
  /// The predicate that chooses the calls.
  public let matches: (@Sendable (Request) -> Bool)?
}

extension FakeCall {
  /// The calls whose request fulfils this, to be scripted.
  ///
  /// `matches` is called for each call, with the fake locked: it must not use the fake.
  public func when(_ matches: @escaping @Sendable (_ request: Request) -> Bool) -> FakeCallMatch<Request, Response> {
    FakeCallMatch(call: self, matches: matches)
  }
}

extension FakeCall where Request: Equatable {
  /// The calls with this request, to be scripted.
  public func when(_ request: Request) -> FakeCallMatch<Request, Response> {
    when { $0 == request }
  }
}
