import Millrace
import MillraceTesting
import Testing

@Suite("Admission", .timeLimit(.minutes(1)))
struct AdmissionTests {
  let store = Store()

  @Test("L2: actions that were queued behind another thread's step are taken up in the order of their acceptance")
  func leftActionsAreTakenUpInOrder() async throws {
    let (latch, thread) = try await store.block()
    store.send(.commit("a"))
    let batch = store.send(contentsOf: [.commit("b"), .handle { $0.emit("c") }, .commit("d")])
    let last = store.send(.commit("e"))
    latch.open()
    #expect(await batch.outcomes.map(\.kind) == [.finished, .finished, .finished])
    #expect(await last.outcome.kind == .finished)
    await thread.value
    let log = await store.log
    #expect(log.filter { $0 != "c" } == ["block", "a", "b", "d", "e"])
    #expect(log.contains("c"))
  }

  @Test("L2: decide is asked in accepted order and sees every earlier commit")
  func decideSeesEveryEarlierCommit() async throws {
    let counting = ScriptedInteractor.Action.decide { state in
      .mutate(ScriptedInteractor.Mutation("\(state.log.count)"))
    }
    store.send(contentsOf: [counting, counting])
    let (latch, thread) = try await store.block()
    let receipts = (0..<3).map { _ in store.send(counting) }
    latch.open()
    for receipt in receipts { #expect(await receipt.outcome.kind == .finished) }
    await thread.value
    store.send(counting)
    #expect(await store.log == ["0", "1", "block", "3", "4", "5", "6"])
  }

  @Test("L2: of 8 tasks' actions each is decided on exactly the commits before its own")
  func decideSeesEveryEarlierCommitUnderContention() async {
    let counting = ScriptedInteractor.Action.decide { state in
      .mutate(ScriptedInteractor.Mutation("\(state.log.count)"))
    }
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<250 { _ = await store.send(counting).outcome }
        }
      }
    }
    #expect(await store.log == (0..<2_000).map(String.init))
  }

  @Test("L2: handle gets a state with everything that was committed or queued when its action was accepted")
  func handleGetsANewState() async throws {
    let handled = Recorder<[String]>()
    let (latch, thread) = try await store.block()
    store.send(.commit("accepted before"))
    store.send(ScriptedInteractor.Action(handle: { _, state in handled.record(state.log) }))
    latch.open()
    #expect(try await handled.next().prefix(2) == ["block", "accepted before"])
    await thread.value
  }

  @Test("L2: a handler that was queued behind another gets the state with what that has emitted since")
  func handleGetsWhatTheHandlerBeforeItEmitted() async throws {
    let handled = Recorder<[String]>()
    // The first part of one handler does not nest in that of another, so the inner one begins when "a" was committed.
    let receipt = store.send(
      .handle { [store] run in
        store.send(ScriptedInteractor.Action(handle: { _, state in handled.record(state.log) }))
        run.emit("a")
      })
    #expect(await receipt.outcome.kind == .finished)
    #expect(try await handled.next() == ["a"])
  }

  @Test("L2: handle gets the sender's own earlier commit, whichever of 8 tasks has the turn")
  func handleGetsTheSendersEarlierCommit() async {
    let stale = Box<[String]>([])
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for action in 0..<50 {
            let name = "\(task).\(action)"
            store.send(.commit(ScriptedInteractor.Mutation(name)))
            let receipt = store.send(
              ScriptedInteractor.Action(handle: { _, state in
                if !state.log.contains(name) { stale.update { $0.append(name) } }
              }))
            _ = await receipt.outcome
          }
        }
      }
    }
    #expect(stale.value == [])
  }

  @Test("L3: a withdrawal that is decided on the balance never overdraws it, sent by 8 tasks")
  func decisionsAreAtomic() async {
    let store = Store(initial: Account.State(balance: 1_000), interactor: Account())
    let refused = await withTaskGroup(of: Int.self) { group in
      for task in 0..<8 {
        group.addTask {
          var refused = 0
          for _ in 0..<100 {
            if await store.send(.withdraw(3, by: task)).outcome.kind == .rejected { refused += 1 }
          }
          return refused
        }
      }
      return await group.reduce(0, +)
    }
    let state = await store.state
    #expect(state.lowest == 1)
    #expect(state.balance == 1)
    #expect(state.torn == 0)
    #expect(refused == 800 - 333)
  }

  @Test("L3: mutations of a decision have nothing between them, with emissions and cancellations going on")
  func decisionsAreNotSplit() async throws {
    let store = Store(initial: Account.State(balance: 1_000_000), interactor: Account())
    await withTaskGroup { group in
      for task in 0..<4 {
        group.addTask {
          for _ in 0..<200 { store.send(.withdraw(1, by: task)) }
        }
        group.addTask {
          for _ in 0..<50 {
            let paying = store.send(.payIn(1))
            store.send(contentsOf: Array(repeating: .withdraw(1, by: 10 + task), count: 5))
            paying.cancel()
          }
        }
      }
    }
    let state = await store.state
    #expect(state.torn == 0)
    #expect(state.withdrawals == 4 * 200 + 4 * 50 * 5)
  }
}

/// An account that is never overdrawn, because a withdrawal is decided on the balance.
private struct Account: Interactor {
  struct State: Sendable {
    var balance: Int
    var lowest = Int.max
    var withdrawals = 0
    /// The number of the customer whose withdrawal has begun and is not booked.
    var withdrawing: Int?
    /// The number of withdrawals that had another mutation between theirs.
    var torn = 0

    init(balance: Int) {
      self.balance = balance
    }
  }

  enum Action: Sendable {
    case withdraw(Int, by: Int)
    case payIn(Int)
  }

  enum Mutation: Sendable {
    case began(by: Int)
    case withdrew(Int, by: Int)
    case paidIn(Int)
  }

  struct Overdrawn: Error {}

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .withdraw(let amount, let task):
      state.balance >= amount
        ? .mutate([.began(by: task), .withdrew(amount, by: task)]) : .reject(Overdrawn())
    case .payIn: .handle
    }
  }

  func handle(_ action: Action, state: State) async -> Effect<Self> {
    guard case .payIn(let amount) = action else { return .none }
    return Effect { run in
      for _ in 0..<amount { run.emit(.paidIn(1)) }
    }
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .began(let task):
      if state.withdrawing != nil { state.torn += 1 }
      state.withdrawing = task
    case .withdrew(let amount, let task):
      if state.withdrawing != task { state.torn += 1 }
      state.withdrawing = nil
      state.balance -= amount
      state.lowest = min(state.lowest, state.balance)
      state.withdrawals += 1
    case .paidIn(let amount):
      if state.withdrawing != nil { state.torn += 1 }
      state.balance += amount
    }
  }
}
