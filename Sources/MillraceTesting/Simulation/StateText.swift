import Millrace

/// A state as lines, one for each of its parts.
enum StateText {
  private static let (lines, characters) = (20, 120)

  static func lines(of state: any Sendable) -> [String] {
    let mirror = Mirror(reflecting: state)
    let parts = mirror.children.compactMap { child in child.label.map { (name: $0, value: child.value) } }
    guard mirror.displayStyle == .struct, !parts.isEmpty, !ValueText.isDescribed(state) else {
      return [ValueText.of(state, limit: lines * characters)]
    }
    let shown = parts.prefix(lines).map { "\($0.name): \(ValueText.of($0.value, limit: characters))" }
    return shown + (parts.count > lines ? ["… and \(parts.count - lines) more"] : [])
  }
}
