import Millrace
import MillraceLoad
import Synchronization

/// Requests to 10,000 stores beside a million that are idle: the idle ones cost memory and no time.
let manyStoresScenario = LoadScenario(
  "many-stores", summary: "10,000 active stores beside 1,000,000 idle ones", rate: 50_000, users: 10_000
) { user in
  if user == 0 { idleStores.make(1_000_000) }
  return Store(initial: 0, interactor: Cell())
} action: { _ in
  .touch
}

private struct Cell: Interactor {
  enum Action: Sendable { case touch }
  enum Mutation: Sendable { case touched }

  func decide(_ action: Action, state: Int) -> Decision<Mutation> { .mutate(.touched) }

  func handle(_ action: Action, state: Int) async -> Effect<Self> { .none }

  static func reduce(into state: inout Int, mutation: Mutation) { state += 1 }
}

/// Stores that nothing is sent to.
private final class IdleStores: Sendable {
  private let stores = Mutex<[Store<Cell>]>([])

  /// Makes `count` stores, and releases those made before.
  func make(_ count: Int) {
    stores.withLock { $0 = (0..<count).map { _ in Store(initial: 0, interactor: Cell()) } }
  }
}

private let idleStores = IdleStores()
