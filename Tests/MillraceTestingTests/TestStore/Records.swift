import Millrace

@testable import MillraceTesting

/// The interactor that the tests of the test store use.
struct Records: Interactor {
  enum Action: Sendable {
    case reload
    case refresh
    case clear
    case rename(String)
    case look(for: String)
    case deny
    case note
    /// Its handler sends another action.
    case chain
    /// Its handler fetches, and then sends another action by its run.
    case announce
  }

  enum Mutation: Sendable, Equatable {
    case loading
    case loaded([String])
    case cleared
    case renamed(String)
    case looking(String)
    case failure(String)
    case noted
  }

  struct State: Sendable, Hashable {
    var isLoading = false
    var records: [String] = []
    var name = ""
    var query: String?
    var failure: String?
  }

  struct Denied: Error, Equatable {
    var reason = "not yours"
  }

  var fetch: @Sendable () async throws -> [String] = { ["a"] }
  var send: @Sendable (Action) -> Void = { _ in }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .reload: .mutate(.loading, thenHandle: true)
    case .clear: .mutate([.renamed(""), .cleared])
    case .rename(let name): .mutate(.renamed(name))
    case .look(let query): .mutate(.looking(query), thenHandle: true)
    case .deny: .reject(Denied())
    case .note: .mutate(.noted)
    case .refresh, .chain, .announce: .handle
    }
  }

  func plan(for action: Action, state: State) -> Plan {
    if case .look = action { .latest(key: "look") } else { .concurrent }
  }

  func handle(_ action: Action, state: State) async -> Effect<Self> {
    Effect { run in
      if case .chain = action { return send(.rename("chained")) }
      if case .announce = action {
        _ = try? await fetch()
        run.send(.rename("announced"))
        return
      }
      if case .refresh = action { run.emit(.loading) }
      run.emit(.loaded(try await fetch()))
    }
  }

  func closing(_ action: Action, outcome: Outcome) -> Mutation? {
    .failure("\(outcome.kind)")
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .loading: state.isLoading = true
    case .loaded(let records):
      state.isLoading = false
      state.records = records
    case .cleared: state.records = []
    case .renamed(let name): state.name = name
    case .looking(let query): state.query = query
    case .failure(let failure): (state.isLoading, state.failure) = (false, failure)
    case .noted: break
    }
  }
}

/// A store whose failures are collected, and whose patience is a test's to end.
struct Collected: Sendable {
  let failures = Failures()
  let patience = TestClock()

  func store(
    _ records: Records = Records(), clock: (any Clock<Duration>)? = nil,
    exhaustivity: TestStore<Records>.Exhaustivity = .on, interceptors: [any Interceptor<Records>] = [],
    fakes: [any FinishChecked] = [], limits: StoreConfiguration.Limits? = nil
  ) -> TestStore<Records> {
    failures.collect {
      TestStore(
        initial: Records.State(), interactor: records, configuration: StoreConfiguration(clock: clock, limits: limits),
        interceptors: interceptors, fakes: fakes, exhaustivity: exhaustivity, timeoutClock: patience,
        origin: TestLine("Tests/Made.swift", 1))
    }
  }

  /// The messages so far, each behind its line.
  var messages: [String] { zip(failures.lines, failures.messages).map { "\($0): \($1)" } }
}
