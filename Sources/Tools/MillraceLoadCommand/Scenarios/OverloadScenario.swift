import Millrace
import MillraceLoad

/// Twice the requests that the slots of a store can handle: what it takes, what it sheds, and how long the accepted ones wait.
///
/// 64 slots of 10 ms each are 6,400 requests a second.
let overloadScenario = LoadScenario(
  "overload", summary: "twice what 64 slots of 10 ms can take, which is measured first",
  rate: .timesCapacity(2, concurrency: 128)
) { _ in
  let limits = StoreConfiguration.Limits(runsInFlight: 64, actionsWaiting: 256)
  return Store(initial: 0, interactor: Slow(), configuration: StoreConfiguration(limits: limits))
} action: { _ in
  .fetch
}

private struct Slow: Interactor {
  enum Action: Sendable { case fetch }
  enum Mutation: Sendable { case fetched }

  func handle(_ action: Action, state: Int) async -> Effect<Self> {
    Effect { run in
      try await Task.sleep(for: .milliseconds(10))
      run.emit(.fetched)
    }
  }

  static func reduce(into state: inout Int, mutation: Mutation) { state += 1 }
}
