/// The fakes in the stored properties of a value, and of the values in these; each once, in order of declaration.
///
/// Of objects only fakes and gateways are looked at, which are asked. Reading any other property of an object would be a race
/// with who changes it.
struct FoundFakes {
  private(set) var fakes: [any FakeMethod] = []

  /// The depth of values within values that is searched.
  private static var depth: Int { 6 }

  init(in gateway: Any) {
    lookInto(gateway, depth: 0)
  }

  private mutating func look(at value: Any, depth: Int) {
    if let fake = value as? any FakeMethod {
      add(fake)
    } else if let gateway = value as? any FakeGateway {
      for fake in gateway.fakes { add(fake) }
    } else {
      lookInto(value, depth: depth)
    }
  }

  private mutating func lookInto(_ value: Any, depth: Int) {
    guard depth < Self.depth, !(type(of: value) is AnyObject.Type) else { return }
    for (_, child) in Mirror(reflecting: value).children { look(at: child, depth: depth + 1) }
  }

  private mutating func add(_ fake: any FakeMethod) {
    if !fakes.contains(where: { $0 === fake }) { fakes.append(fake) }
  }
}
