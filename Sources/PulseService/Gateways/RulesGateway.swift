/// The source of rules that may change while the service runs.
protocol RulesGateway: Sendable {
  /// Reads all rules there are now.
  ///
  /// Returns soon after its task was cancelled: a caller that sets a time limit cancels.
  ///
  /// - Throws: An error whose description is a sentence that says what is wrong, and the fix.
  func rules() async throws -> [AlertRule]
}
