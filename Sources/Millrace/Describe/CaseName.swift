/// What a value is called where its payload must not be shown.
package enum CaseName {
  /// The name of an enum's case without its payload; of any other value the name of its type.
  ///
  /// No description of a caller's is ever called, for it may show a payload. So a case of an enum that describes itself, or
  /// has a mirror of its own, is called by the name of the enum, where the runtime offers no other way to its name.
  package static func of(_ value: Any) -> String {
    let type = type(of: value)
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional:
      guard let (_, wrapped) = mirror.children.first else { return "nil" }
      return of(wrapped)
    case .enum where !(value is any CustomReflectable):
      if let label = mirror.children.first?.label { return label }
      return describesItself(value) ? name(of: type) : String(describing: value)
    default:
      return name(of: type)
    }
  }

  /// The name of a type without its module.
  package static func name(of type: Any.Type) -> String {
    _typeName(type, qualified: false)
  }

  /// Whether `String(describing:)` asks the value itself.
  private static func describesItself(_ value: Any) -> Bool {
    value is any CustomStringConvertible || value is any CustomDebugStringConvertible
      || value is any TextOutputStreamable
  }
}
