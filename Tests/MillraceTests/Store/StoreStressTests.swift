import Millrace
import Testing

@Suite("A store under stress", .timeLimit(.minutes(2)))
struct StoreStressTests {
  @Test(
    "R1, R2: 8 tasks send, cancel and shut down at once: each action has one outcome, and its closing if it needs one",
    arguments: 1...5)
  func everyActionEndsOnce(round: Int) async {
    let store = Store(initial: Bench.State(), interactor: Bench())
    let perTask = 300
    let receipts = await withTaskGroup(of: [(Bench.Action, Receipt)].self) { group in
      for task in 0..<8 {
        group.addTask {
          var receipts: [(Bench.Action, Receipt)] = []
          for number in 0..<perTask {
            let action = Bench.Action(id: task * perTask + number)
            receipts.append((action, store.send(action)))
            if number % 7 == task % 7 { receipts.last?.1.cancel() }
            if number % 101 == 100 { store.cancelAll() }
            if task == 0, number == perTask - round * 20 { await store.shutdown() }
          }
          return receipts
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    var byKind: [Outcome.Kind: Int] = [:]
    var outcomes: [Int: Outcome.Kind] = [:]
    for (action, receipt) in receipts {
      let kind = await receipt.outcome.kind
      byKind[kind, default: 0] += 1
      outcomes[action.id] = kind
    }
    #expect(receipts.count == 8 * perTask)
    #expect(byKind.values.reduce(0, +) == 8 * perTask)
    #expect(byKind[.finished, default: 0] > 0)
    let state = await store.state
    for (id, kind) in outcomes {
      let closings = state.closings[id, default: []]
      if state.decided.contains(id), kind != .finished {
        #expect(closings == [kind])
      } else if kind == .rejected, !closings.isEmpty {
        #expect(closings == [kind])  // Decided against, which leaves no other trace.
      } else {
        #expect(closings == [])
      }
      #expect(state.committedAfterClosing == 0)
    }
    #expect(state.closings.keys.allSatisfy { outcomes[$0] != nil })
  }

  @Test("R1: batches that 8 tasks send and cancel, while the store shuts down, have an outcome for every action")
  func everyActionOfABatchEndsOnce() async {
    let store = Store(initial: Bench.State(), interactor: Bench())
    let counts = await withTaskGroup(of: Int.self) { group in
      for task in 0..<8 {
        group.addTask {
          var outcomes = 0
          for number in 0..<20 {
            let first = (task * 20 + number) * 30
            let batch = store.send(contentsOf: (first..<first + 30).map { Bench.Action(id: $0) })
            batch.cancel()
            if task == 3, number == 15 { await store.shutdown() }
            outcomes += await batch.outcomes.count
          }
          return outcomes
        }
      }
      return await group.reduce(0, +)
    }
    #expect(counts == 8 * 20 * 30)
  }
}

/// Actions of all sorts, told apart by their ids, that book what is committed of them.
private struct Bench: Interactor {
  struct Action: Sendable {
    let id: Int
  }

  enum Mutation: Sendable {
    case decided(Int)
    case handled(Int)
    case closed(Int, Outcome.Kind)
  }

  struct State: Sendable {
    var decided: Set<Int> = []
    var closings: [Int: [Outcome.Kind]] = [:]
    var committedAfterClosing = 0
  }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action.id % 5 {
    case 0: .mutate(.decided(action.id))
    case 1: .mutate([.decided(action.id), .decided(action.id)])
    case 2: .reject(Mishap())
    default: .mutate(.decided(action.id), thenHandle: true)
    }
  }

  func handle(_ action: Action, state: State) async -> Effect<Self> {
    Effect { run in
      run.emit(.handled(action.id))
      _ = try await run.state
      if action.id % 5 == 3 { throw Mishap() }
      run.emit(.handled(action.id))
    }
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .decided(let id):
      state.decided.insert(id)
    case .handled(let id):
      if state.closings[id] != nil { state.committedAfterClosing += 1 }
    case .closed(let id, let kind):
      state.closings[id, default: []].append(kind)
    }
  }

  func closing(_ action: Action, outcome: Outcome) -> Mutation? {
    .closed(action.id, outcome.kind)
  }
}
