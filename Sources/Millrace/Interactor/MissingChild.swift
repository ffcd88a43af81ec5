/// An action was sent to a child that its parent does not have.
///
/// ``OptionalScoped`` and ``EachScoped`` reject with it; the store reports the first one of each place as
/// ``Incident/Kind/missingChild``.
public struct MissingChild: Error, CustomStringConvertible {
  /// The type of the interactor that would have the child.
  public let parent: any Any.Type

  /// The type of the interactor that the child would be.
  public let child: any Any.Type

  /// The id of the child as a text; nil for a child without one.
  public let id: String?

  /// The place that the child would have.
  let scope: ObjectIdentifier

  @usableFromInline
  init(of parent: any Any.Type, child: any Any.Type, scope: any Any.Type, id: some Any) {
    self.init(of: parent, child: child, scope: scope, text: "\(id)")
  }

  @usableFromInline
  init(of parent: any Any.Type, child: any Any.Type, scope: any Any.Type) {
    self.init(of: parent, child: child, scope: scope, text: nil)
  }

  private init(of parent: any Any.Type, child: any Any.Type, scope: any Any.Type, text: String?) {
    self.parent = parent
    self.child = child
    id = text
    self.scope = ObjectIdentifier(scope)
  }

  /// The missing child as a sentence, with the fix.
  public var description: String {
    let place = id.map { " with the id \($0)" } ?? ""
    return "\(String(reflecting: parent)) has no \(String(reflecting: child))\(place); "
      + "add the child before an action is sent to it, and send it none once it is removed."
  }
}
