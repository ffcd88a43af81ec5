import Millrace
import MillraceLoad

/// Actions that are decided at once: the fast path, on the sender's thread.
let counterScenario = LoadScenario(
  "counter", summary: "actions that are decided at once", rate: 100_000
) { _ in
  Store(initial: 0, interactor: Counter())
} action: { _ in
  .increment
}

private struct Counter: Interactor {
  enum Action: Sendable { case increment }
  enum Mutation: Sendable { case incremented }

  func decide(_ action: Action, state: Int) -> Decision<Mutation> { .mutate(.incremented) }

  func handle(_ action: Action, state: Int) async -> Effect<Self> { .none }

  static func reduce(into state: inout Int, mutation: Mutation) { state += 1 }
}
