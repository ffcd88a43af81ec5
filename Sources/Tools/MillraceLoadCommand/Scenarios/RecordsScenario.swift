import Millrace
import MillraceLoad
import MillraceTesting

/// Searches of a gateway that is slow and fails now and then, with a retry and a time limit.
let recordsScenario = LoadScenario(
  "records", summary: "searches of a fake gateway with latency and faults", rate: 500, users: 10
) { user in
  let gateway = FakeRecords()
  gateway.keepLog(.none)
  gateway.fetches.always { query in [query, query + "s"] }
  gateway.inject(
    FakeFaults(
      seed: UInt64(user), clock: ContinuousClock(), latency: .exponential(mean: .milliseconds(5)),
      faults: [.reset: 0.02, .slow: 0.01]))
  return Store(initial: Records.State(), interactor: Records(gateway: gateway))
} action: { request in
  .search("\(request.number % 100)")
}

private protocol RecordsGateway: Sendable {
  func fetch(_ query: String) async throws -> [String]
}

private struct FakeRecords: RecordsGateway, FakeGateway {
  let fetches = FakeCall<String, [String]>("fetch")

  func fetch(_ query: String) async throws -> [String] { try await fetches(query) }
}

private struct Records: Interactor {
  struct State: Sendable {
    var found: [String: [String]] = [:]
    var loading = 0
    var failures = 0
  }
  enum Action: Sendable { case search(String) }
  enum Mutation: Sendable {
    case loading
    case loaded(String, [String])
    case failed
  }

  let gateway: any RecordsGateway

  func plan(for action: Action, state: State) -> Plan { .concurrent.retry(2).timeout(.seconds(2)) }

  func decide(_ action: Action, state: State) -> Decision<Mutation> { .mutate(.loading, thenHandle: true) }

  func handle(_ action: Action, state: State) async -> Effect<Self> {
    guard case .search(let query) = action else { return .none }
    return Effect { run in run.emit(.loaded(query, try await gateway.fetch(query))) }
  }

  func closing(_ action: Action, outcome: Outcome) -> Mutation? { .failed }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .loading: state.loading += 1
    case .loaded(let query, let records):
      state.loading -= 1
      state.found[query] = records
    case .failed:
      state.loading -= 1
      state.failures += 1
    }
  }
}
