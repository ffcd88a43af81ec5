import MillraceFlags

extension AlertRule {
  /// What to say of a rule about a target that is not watched: it would never fire, and nobody would know.
  func missingTarget(among endpoints: [Endpoint]) -> String? {
    switch condition {
    case .metric:
      nil
    case .targetDown(nil):
      endpoints.isEmpty ? "needs a target; add for example --watch http://localhost:8080" : nil
    case .targetDown(let name?):
      endpoints.contains { $0.name == name }
        ? nil : "is about a target that is not watched; add --watch \(FlagError.quoted(name))"
    }
  }
}
