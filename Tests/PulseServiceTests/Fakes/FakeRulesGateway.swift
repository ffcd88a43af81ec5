@testable import PulseService

/// Rules that a script reads.
struct FakeRulesGateway: RulesGateway {
  private let script: @Sendable () async throws -> [String]

  init(_ script: @escaping @Sendable () async throws -> [String]) {
    self.script = script
  }

  func rules() async throws -> [AlertRule] {
    try await script().map { try AlertRule($0) }
  }
}
