import Millrace
import MillraceLoad

/// Requests of all kinds with ever new keys: nothing of them may stay.
///
/// A run that fails or is superseded as planned is a success of its request.
let soakScenario = LoadScenario(
  "soak", summary: "runs of every overlap with ever new keys; run it for hours", rate: 5_000, users: 4
) { _ in
  var configuration = StoreConfiguration()
  configuration.report = { _ in }  // Runs fail on purpose, and thousands of lines about it say nothing.
  return Store(initial: 0, interactor: Mixed(), configuration: configuration)
} end: { store, request in
  let outcome = await store.send(Mixed.Action(number: request.number)).outcome
  return switch outcome {
  case .failed(is Mixed.Refused), .superseded: LoadEnd(.finished)
  default: LoadEnd(outcome)
  }
}

private struct Mixed: Interactor {
  struct Action: Sendable { let number: Int }
  enum Mutation: Sendable { case done }
  struct Refused: Error {}

  /// Three actions in a row share a key, so that they meet.
  func plan(for action: Action, state: Int) -> Plan {
    let key = "\(action.number / 12)"
    return switch action.number % 4 {
    case 0: .serial(key: key)
    case 1: .latest(key: key)
    case 2: .shared(key: key)
    default: .concurrent.timeout(.seconds(1))
    }
  }

  func decide(_ action: Action, state: Int) -> Decision<Mutation> {
    action.number.isMultiple(of: 7) ? .mutate(.done) : .handle
  }

  func handle(_ action: Action, state: Int) async -> Effect<Self> {
    Effect { run in
      try await Task.sleep(for: .milliseconds(1))
      if action.number.isMultiple(of: 50) { throw Refused() }
      run.emit(.done)
    }
  }

  static func reduce(into state: inout Int, mutation: Mutation) { state += 1 }
}
