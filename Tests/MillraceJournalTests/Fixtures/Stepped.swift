import Millrace
import MillraceJournal
import MillraceTesting

/// Texts that a handler adds by steps; an action that ends otherwise adds its outcome.
struct Stepped: Interactor {
  typealias Handling = @Sendable (Run<Stepped>, Int) async throws -> Void

  enum Action: Sendable, Codable {
    case note(String)
    case handle(Int)
  }

  let plan: Plan
  let handling: Handling

  init(plan: Plan = .concurrent.recovery(.handleAgain), _ handling: @escaping Handling) {
    self.plan = plan
    self.handling = handling
  }

  func plan(for action: Action, state: [String]) -> Plan {
    if case .handle = action { plan } else { .concurrent }
  }

  func decide(_ action: Action, state: [String]) -> Decision<String> {
    if case .note(let text) = action { .mutate(text) } else { .handle }
  }

  func handle(_ action: Action, state: [String]) -> Effect<Self> {
    Effect { run in
      if case .handle(let number) = action { try await handling(run, number) }
    }
  }

  func closing(_ action: Action, outcome: Outcome) -> String? {
    if case .failed(let error as StepError) = outcome { "failed: \(error)" } else { "\(outcome.kind)" }
  }

  static func reduce(into state: inout [String], mutation: String) { state.append(mutation) }
}

/// The stores of one log, each of which continues where the one before was when the next one was opened, as after a crash.
final class Lives: Sendable {
  let journal: any Journal
  let clock = TestClock()
  let incidents = Recorder<Incident>()
  /// Keeps the earlier stores, whose handlers are still suspended.
  private let stores = Recorder<Store<Stepped>>()

  init(_ journal: any Journal = MemoryJournal()) {
    self.journal = journal
  }

  /// Opens the store of the next life.
  func open(
    plan: Plan = .concurrent.recovery(.handleAgain), options: JournalOptions = JournalOptions(),
    limits: StoreConfiguration.Limits? = nil, wallTime: (@Sendable () -> Int64)? = nil,
    _ handling: @escaping Stepped.Handling
  ) async throws -> Store<Stepped> {
    var configuration = StoreConfiguration(clock: clock, limits: limits, wallTime: wallTime)
    configuration.report = { [incidents] in incidents.record($0) }
    let store = try await Store.open(
      initial: [], interactor: Stepped(plan: plan, handling), journal: journal, key: "k", configuration: configuration,
      options: options)
    stores.record(store)
    return store
  }

  /// Takes an action up whose handler ends with a wait at a gate, and returns when the handler is there and its mutations are durable.
  func crash(
    plan: Plan = .concurrent.recovery(.handleAgain), _ options: JournalOptions = JournalOptions(), key: String? = nil,
    after handling: @escaping Stepped.Handling
  ) async throws {
    let gate = Gate()
    let store = try await open(plan: plan, options: options) { run, number in
      try await handling(run, number)
      try await gate.enter()
    }
    store.send(.handle(1), key: key)
    try await gate.waitForArrivals(1)
    for await _ in store.states(.latest.durable) { break }
  }
}

extension Store where I == Stepped {
  /// Waits until the one action that is handled again has ended, and returns the state then.
  nonisolated func end() async -> [String] {
    await shutdown(drainFor: .seconds(60))
    return await state
  }
}
