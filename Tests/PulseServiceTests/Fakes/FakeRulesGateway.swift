import MillraceTesting

@testable import PulseService

/// Rules whose texts a test scripts.
struct FakeRulesGateway: RulesGateway, FakeGateway {
  let readings = FakeCall<Void, [String]>("rules")

  let content = "rules"

  func read() async throws -> ConfigurationReading {
    .rules(try await readings().map { try AlertRule($0) })
  }
}
