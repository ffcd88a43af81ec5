import Millrace
import MillraceTesting

@testable import MillraceJournal

/// The commits of many accounts that a projection has seen; it rejects an event that it has seen before, and one before which it has missed any.
struct Ledger: Interactor {
  enum Action: Sendable, Codable {
    case saw(String, Accounts.Mutation, revision: Int)
    case missed(String, Accounts.State, revision: Int)
    case erased(String)
    case order
  }

  enum Mutation: Sendable, Codable, Equatable {
    case added(String, Accounts.Mutation)
    case set(String, Accounts.State, revision: Int)
    case forgot(String)
    case counted
  }

  struct Account: Sendable, Codable, Equatable {
    var state: Accounts.State
    var revision = 0
    var misses = 0
  }

  struct State: Sendable, Codable, Equatable {
    var accounts: [String: Account] = [:]
    /// The number of commits of deposits of 1,000 and more.
    var large = 0
  }

  struct Disorder: Error, CustomStringConvertible {
    let description: String
  }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .saw(let key, let mutation, let revision):
      let seen = state.accounts[key]?.revision ?? 0
      guard revision == seen + 1 else { return .reject(Disorder(description: "\(key) has \(revision) behind \(seen)")) }
      if case .added(let amount) = mutation, amount >= 1_000 { return .mutate([.added(key, mutation), .counted]) }
      return .mutate(.added(key, mutation))
    // The key may have been erased before it has begun anew, so that its revision is an earlier one.
    case .missed(let key, let account, let revision): return .mutate(.set(key, account, revision: revision))
    case .erased(let digest):
      let key = state.accounts.keys.first { JournalKey($0, of: "accounts").digest.description == digest }
      return key.map { .mutate(.forgot($0)) } ?? .ignore
    case .order: return .handle
    }
  }

  func handle(_ action: Action, state: State) -> Effect<Self> { .none }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .added(let key, let mutation):
      var account = state.accounts[key] ?? Account(state: Accounts.State(balance: key.count))
      Accounts.reduce(into: &account.state, mutation: mutation)
      account.revision += 1
      state.accounts[key] = account
    case .set(let key, let new, let revision):
      let misses = (state.accounts[key]?.misses ?? 0) + 1
      state.accounts[key] = Account(state: new, revision: revision, misses: misses)
    case .forgot(let key): state.accounts[key] = nil
    case .counted: state.large += 1
    }
  }

  /// The action for an event of accounts; nil for a look at nothing.
  static func action(_ event: ProjectionEvent<Accounts>) -> Action? {
    switch event {
    case .committed(_, .closed("quiet"), _, _): nil
    case .committed(let key, let mutation, let revision, _): .saw(key.name, mutation, revision: revision)
    case .missed(let key, let state, let revision): .missed(key.name, state, revision: revision)
    case .erased(let digest): .erased(digest.description)
    }
  }
}

extension Projection where I == Ledger {
  /// Opens the ledger of the accounts of a journal.
  static func ledger(
    of source: any PartitionedJournal, in journal: any Journal, _ configuration: StoreConfiguration,
    schema: StoreSchema<Ledger> = StoreSchema(), options: JournalOptions = JournalOptions(),
    _ action: @escaping @Sendable (ProjectionEvent<Accounts>) -> Ledger.Action? = Ledger.action
  ) async throws(JournalError) -> Projection {
    try await open(
      initial: Ledger.State(), interactor: Ledger(), of: ProjectionSource("accounts", in: source), journal: journal,
      key: "ledger", configuration: configuration, schema: schema, options: options, action: action)
  }
}

extension StoreConfiguration {
  /// A configuration whose incidents are recorded.
  static func reporting(to incidents: Recorder<Incident>) -> StoreConfiguration {
    var configuration = StoreConfiguration()
    configuration.report = { incidents.record($0) }
    return configuration
  }
}
