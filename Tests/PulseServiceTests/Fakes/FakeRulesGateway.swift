import MillraceTesting

@testable import PulseService

/// Rules whose texts a test scripts.
struct FakeRulesGateway: RulesGateway, FakeGateway {
  let readings = FakeCall<Void, [String]>("rules")

  func rules() async throws -> [AlertRule] {
    try await readings().map { try AlertRule($0) }
  }
}
