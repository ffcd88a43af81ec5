import Millrace
import MillraceTesting
import Testing

@Suite("StoreScaleTests", .serialized, .timeLimit(.minutes(5)))
struct StoreScaleTests {
  @Test("L1: 1,000,000 decided actions from 8 tasks are all committed, each once")
  func nothingIsLost() async {
    let store = Store(initial: Tally.State(), interactor: Tally())
    let perTask = scaled(1_000_000) / 8
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for _ in 0..<perTask { store.send(.count(task)) }
        }
      }
    }
    let snapshot = await store.snapshot
    #expect(snapshot.revision == 8 * perTask)
    #expect(snapshot.state.counts == Array(repeating: perTask, count: 8))
  }

  @Test(
    "L5: a chain of 1,000,000 handlers or reducers, each of which sends the next action, keeps the stack flat",
    arguments: [1, -1])
  func aChainIsFlat(first: Int) async throws {
    let length = scaled(1_000_000)
    let link = Link(length: length)
    let store = Store(initial: 0, interactor: link)
    link.store.value = store
    store.send(first)
    try await link.end.enter()
    #expect(await store.state == length)
    link.store.value = nil
  }

  @Test("R1: 1,000,000 runs finish, and a store that lives on keeps nothing of them")
  func runsLeaveNothingBehind() async throws {
    let runs = scaled(1_000_000)
    let freed = Box(0)
    let allFreed = Gate()
    let store = Store(initial: 0, interactor: Mortal())
    var finished = 0
    for first in stride(from: 0, to: runs, by: 1_000) {
      let actions = (first..<min(first + 1_000, runs)).map { _ in
        Mortal.Action {
          if freed.update({
            $0 += 1; return $0
          }) == runs {
            allFreed.open()
          }
        }
      }
      finished += await store.send(contentsOf: actions).outcomes.count { $0.kind == .finished }
    }
    #expect(finished == runs)
    try await allFreed.enter()  // The tasks of the last runs may release their actions after these have ended.
    #expect(await store.state == runs)
  }
}

/// Counts the actions of each sender.
private struct Tally: Interactor {
  struct State: Sendable {
    var counts = Array(repeating: 0, count: 8)
  }

  enum Action: Sendable {
    case count(Int)
  }

  func decide(_ action: Action, state: State) -> Decision<Int> {
    switch action {
    case .count(let sender): .mutate(sender)
    }
  }

  static func reduce(into state: inout State, mutation: Int) {
    state.counts[mutation] += 1
  }
}

/// Each action sends the next one: a positive one from its handler, a negative one from its decision.
private final class Link: Interactor {
  let length: Int
  let store = Box<Store<Link>?>(nil)
  let end = Gate()

  init(length: Int) {
    self.length = length
  }

  func decide(_ action: Int, state: Int) -> Decision<Int> {
    if action > 0 { return .handle }
    goOn(from: action)
    return .mutate(1)
  }

  func handle(_ action: Int, state: Int) async -> Effect<Link> {
    Effect { run in
      run.emit(1)
      self.goOn(from: action)
    }
  }

  private func goOn(from action: Int) {
    if action.magnitude < length { store.value?.send(action + action.signum()) } else { end.open() }
  }

  static func reduce(into state: inout Int, mutation: Int) {
    state += mutation
  }
}

/// Handles actions that tell when nothing holds them any more.
private struct Mortal: Interactor {
  final class Action: Sendable {
    private let whenFreed: @Sendable () -> Void

    init(whenFreed: @escaping @Sendable () -> Void) {
      self.whenFreed = whenFreed
    }

    deinit {
      whenFreed()
    }
  }

  func handle(_ action: Action, state: Int) async -> Effect<Self> {
    Effect { run in
      _ = action
      run.emit(1)
    }
  }

  static func reduce(into state: inout Int, mutation: Int) {
    state += mutation
  }
}
