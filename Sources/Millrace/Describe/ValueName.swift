/// How actions, mutations and outcomes are written, which may hold secrets.
struct ValueName: Sendable {
  /// Whether payloads are shown.
  let payloads: Bool

  /// How many characters of a value with its payload are shown.
  private static var limit: Int { 200 }

  /// The name of a case or a type; with its payload, shortened, if payloads are shown.
  func of(_ value: Any) -> String {
    payloads ? ValueText.of(value, limit: ValueName.limit) : CaseName.of(value)
  }

  /// An action with the run that handles it.
  func of<Action: Sendable>(_ cause: Cause<Action>) -> String {
    "\(of(cause.action)) (\(cause.context.run))"
  }

  /// An outcome; errors and reasons are payloads.
  func of(_ outcome: Outcome) -> String {
    if payloads { return outcome.description }
    return switch outcome {
    case .failed(let error): "failed with \(CaseName.name(of: type(of: error)))"
    case .rejected(let rejection): "rejected as \(rejection.kind)"
    case .finished, .cancelled, .superseded, .timedOut, .shutDown, .abandoned: "\(outcome.kind)"
    }
  }
}
