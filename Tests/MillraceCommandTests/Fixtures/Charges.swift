import Millrace
import MillraceJournal
import MillraceTesting

/// Charges orders by a handler with steps, whose runs a test leaves open.
struct Charges: Interactor {
  enum Action: Codable, Sendable {
    case note(String)
    case charge(order: Int)
  }

  /// The wall time of the stores of ``open(_:key:plan:_:)``: 2026-11-25T16:44:38.120Z.
  static let time: Int64 = 1_795_625_078_120

  var plan = Plan.concurrent.recovery(.handleAgain(limit: 3))
  var handling: @Sendable (Run<Charges>, Int) async throws -> Void = { _, _ in }

  func plan(for action: Action, state: [String]) -> Plan { plan }

  func decide(_ action: Action, state: [String]) -> Decision<String> {
    if case .note(let text) = action { .mutate(text) } else { .handle }
  }

  func handle(_ action: Action, state: [String]) -> Effect<Charges> {
    Effect { run in
      if case .charge(let order) = action { try await handling(run, order) }
    }
  }

  static func reduce(into state: inout [String], mutation: String) { state.append(mutation) }

  /// Opens a store at one wall time.
  static func open(
    _ journal: any Journal, key: JournalKey, plan: Plan = .concurrent.recovery(.handleAgain(limit: 3)),
    _ handling: @escaping @Sendable (Run<Charges>, Int) async throws -> Void = { _, _ in }
  ) async throws -> Store<Charges> {
    try await Store.open(
      initial: [], interactor: Charges(plan: plan, handling: handling), journal: journal, key: key,
      configuration: StoreConfiguration(clock: TestClock(), wallTime: { time }))
  }
}
