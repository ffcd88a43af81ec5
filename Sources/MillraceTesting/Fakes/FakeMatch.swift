/// Selects the calls of a fake that are scripted: the calls that match, or all.
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
  /// The selected calls that fulfil this condition too. `matches` is called for each call, with the fake locked: it
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

extension FakeScripting {
  /// The calls in whose request this part has this value, to be scripted.
  ///
  /// The request of a method with several parameters is a tuple, whose parts are its labels or numbers. A further `when` adds a
  /// condition for another part:
  ///
  /// ```swift
  /// gateway.removals.when(\.name, is: "m").fail(Offline())
  /// gateway.removals.when(\.name, is: "m").when(\.index, is: 2).reply()
  /// ```
  public func when<Part: Equatable & Sendable>(
    _ part: any KeyPath<Request, Part> & Sendable, is value: Part
  ) -> FakeMatch<Self> {
    when { $0[keyPath: part] == value }
  }

  /// The calls with these arguments, in the order of the parameters, to be scripted.
  ///
  /// For a request that is a tuple without labels. A tuple with labels is compared by a closure, `when { $0 == ("m", 2) }`, or part by
  /// part by ``when(_:is:)``.
  public func when<each Argument: Equatable & Sendable>(
    _ argument: repeat each Argument
  ) -> FakeMatch<Self> where Request == (repeat each Argument) {
    when { (request: Request) in
      var areSame = true
      for isSame in repeat (each argument) == (each request) { areSame = areSame && isSame }
      return areSame
    }
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
