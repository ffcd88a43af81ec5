/// Says which calls of a fake are scripted: those that match, or all.
///
/// ``FakeCallScripting`` and ``FakeStreamScripting`` script them.
public protocol FakeScripting<Request>: Sendable {
  associatedtype Request: Sendable

  /// The predicate that chooses the calls; nil chooses all.
  var matches: (@Sendable (Request) -> Bool)? { get }
}

extension FakeScripting {
  /// The calls whose request fulfils this, to be scripted.
  ///
  /// Of calls that were chosen before, those that fulfil both. `matches` is called for each call, with the fake locked: it
  /// must not use the fake.
  public func when(_ matches: @escaping @Sendable (_ request: Request) -> Bool) -> FakeMatch<Self> {
    guard let wider = self.matches else { return FakeMatch(fake: self, matches: matches) }
    return FakeMatch(fake: self) { wider($0) && matches($0) }
  }
}

extension FakeScripting where Request: Equatable {
  /// The calls with this request, to be scripted.
  public func when(_ request: Request) -> FakeMatch<Self> {
    when { $0 == request }
  }
}

/// The calls of a ``FakeCall`` or a ``FakeStream`` that match, to be scripted.
public struct FakeMatch<Fake: FakeScripting>: FakeScripting {
  let fake: Fake

  /// The predicate that chooses the calls.
  public let matches: (@Sendable (Fake.Request) -> Bool)?
}

extension FakeMatch: FakeCallScripting where Fake: FakeCallScripting {
  /// The fake whose calls they are.
  public var call: FakeCall<Fake.Request, Fake.Response> { fake.call }
}

extension FakeMatch: FakeStreamScripting where Fake: FakeStreamScripting {
  /// The fake whose calls they are.
  public var stream: FakeStream<Fake.Request, Fake.Element> { fake.stream }
}
