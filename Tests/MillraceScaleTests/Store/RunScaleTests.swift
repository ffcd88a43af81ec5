import Foundation
import MillraceTesting
import Testing

@testable import Millrace

@Suite("RunScaleTests", .serialized, .timeLimit(.minutes(5)))
struct RunScaleTests {
  @Test("A1: 1,000,000 sends into a stalled handler keep the memory flat, and what is in flight can be cancelled")
  func memoryStaysFlat() async throws {
    await #expect(processExitsWith: .success) {
      let gate = Gate()
      let store = Store(
        initial: Plant.State(), interactor: Plant(gate: gate),
        configuration: StoreConfiguration(limits: StoreConfiguration.Limits(runsInFlight: 64, actionsWaiting: 1_024)))
      let plans: [Plan] = [
        .concurrent, .serial(key: 1), .latest(key: 2), .exclusive(key: 3), .shared(key: 4),
        .latest(key: 5).debounce(.seconds(600)),
      ]
      /// Sends actions of every plan, keeping no receipt.
      func send(_ count: Int) {
        for number in 0..<count {
          store.send(Plant.Action(id: number, plan: plans[number % plans.count], stays: true))
        }
      }
      send(20_000)  // Until slots, room and allocator are full.
      let before = residentMegabytes()
      send(scaled(1_000_000))
      let growth = residentMegabytes() - before
      #expect(growth < memoryLimit, "The store grew by \(growth) MB.")
      let metrics = await store.metrics
      #expect(metrics.waiting <= 1_024)
      #expect(metrics.rejections[.full, default: 0] > 0)
      let last = store.send(Plant.Action(id: 0, plan: .latest(key: 2), stays: true))
      last.cancel()
      store.cancelAll()
      #expect(await store.metrics.waiting == 0)
      #expect(await store.metrics.inFlight == 0)
      gate.open()
      await store.shutdown()
    }
  }

  @Test("A store that has handled one action has at most 4 KB more than an idle one")
  func memoryOfAHandledAction() async throws {
    await #expect(processExitsWith: .success) {
      let gate = Gate()
      gate.open()
      func makeStores(handling: Bool) async -> [Store<Plant>] {
        var stores: [Store<Plant>] = []
        for id in 0..<10_000 {
          let store = Store(initial: Plant.State(), interactor: Plant(gate: gate))
          if handling { _ = await store.send(Plant.Action(id: id, plan: .concurrent, stays: true)).outcome }
          stores.append(store)
        }
        return stores
      }
      let before = residentMegabytes()
      let idle = await makeStores(handling: false)
      let afterIdle = residentMegabytes()
      let handled = await makeStores(handling: true)
      let growth = (residentMegabytes() - afterIdle) - (afterIdle - before)
      #expect(growth <= (memoryLimit == .max ? .max : 40), "10,000 stores grew by \(growth) MB.")
      withExtendedLifetime((idle, handled)) {}
    }
  }

  @Test("R1, R6: 8 tasks do all that can be done to a store: each action has one outcome, and the store is freed")
  func everythingAtOnce() async throws {
    for round in 0..<scaled(100) { try await storm(round) }
  }

  /// One store's life, under 8 tasks.
  private func storm(_ round: Int) async throws {
    let gate = Gate()
    let freed = Gate()
    let closed = Box<[Int: Int]>([:])
    let owned = Box<Store<Plant>?>(
      Store(
        initial: Plant.State(canary: Plant.Canary(freed)), interactor: Plant(gate: gate, closed: closed),
        configuration: StoreConfiguration(
          limits: StoreConfiguration.Limits(
            runsInFlight: 8, actionsWaiting: 16, queuedActions: 64,
            onOverflow: StoreConfiguration.Overflow.allCases[round % 4]))))
    weak let store = owned.value
    let perTask = 250
    var (receipts, submits) = await withTaskGroup(of: ([Receipt], [Task<Receipt, any Error>]).self) { group in
      for task in 0..<8 {
        group.addTask {
          var (receipts, submits): ([Receipt], [Task<Receipt, any Error>]) = ([], [])
          for number in 0..<perTask {
            let id = task * perTask + number
            let action = Plant.Action(
              id: id, plan: Plant.plans[(id &* 7 + number) % Plant.plans.count], stays: id % 5 == 0)
            guard let store = owned.value else { break }
            if id % 11 == 3 {
              submits.append(Task { try await store.submit(action) })
              if id % 2 == 0 { submits.last?.cancel() }
            } else {
              receipts.append(store.send(action))
            }
            if number % 7 == task { receipts.last?.cancel() }
            if number % 61 == task { store.cancelAll() }
            if number % 31 == task { store.cancel(key: number % 4) }
            if number % 17 == task { store.setLimit([nil, 0, 1, 3][number % 4], key: number % 4) }
            if round % 4 == 1, task == 0, number == 200 { await store.shutdown(drainFor: .milliseconds(round % 5)) }
            if round % 4 == 2, task == 0, number == 200 { owned.value = nil }
          }
          return (receipts, submits)
        }
      }
      return await group.reduce(into: ([], [])) { $0 = ($0.0 + $1.0, $0.1 + $1.1) }
    }
    // What is suspended holds the store.
    if let store = owned.value { await store.shutdown() } else { submits.forEach { $0.cancel() } }
    owned.value = nil
    var refused = 0
    for submit in submits {
      do { receipts.append(try await submit.value) } catch { refused += 1 }
    }
    var outcomes: [Outcome.Kind: Int] = [:]
    for receipt in receipts { outcomes[await receipt.outcome.kind, default: 0] += 1 }
    #expect(outcomes.values.reduce(0, +) == receipts.count)
    if round % 4 != 2 { #expect(receipts.count + refused == 8 * perTask) }
    #expect(closed.value.values.allSatisfy { $0 == 1 })
    #expect(store == nil)
    gate.open()
    try await freed.enter()  // The handlers that stayed have released the state.
  }
}

/// Handles actions of every plan; some stay until the gate opens, cancelled or not.
private struct Plant: Interactor {
  final class Canary: Sendable {
    let freed: Gate

    init(_ freed: Gate) {
      self.freed = freed
    }

    deinit {
      freed.open()
    }
  }

  struct State: Sendable {
    var canary: Canary?
    var handled = 0
  }

  struct Action: Sendable {
    let id: Int
    let plan: Plan
    let stays: Bool
  }

  static let plans: [Plan] = [
    .concurrent, .serial(key: 0), .concurrent(max: 2, key: 1), .latest(key: 2), .exclusive(key: 3), .shared(key: 4),
    .latest(key: 0).debounce(.milliseconds(1)), .serial(key: 1).throttle(.milliseconds(1)),
    .shared(key: 2).timeout(.milliseconds(2)), .concurrent.retry(3, backoff: .none),
    .serial(key: 3).attemptTimeout(.milliseconds(1)).retry(2, backoff: .constant(.milliseconds(1))),
    .exclusive(key: 5).breaker(Plan.Breaker(failures: 2, openFor: .milliseconds(1))),
    .latest(key: 6).throttle(.milliseconds(1), trailing: false),
    .serial(key: 7).retry(3, backoff: .none, budget: Plan.RetryBudget(capacity: 1, refill: .milliseconds(1))),
  ]

  let gate: Gate
  var closed: Box<[Int: Int]>?

  func plan(for action: Action, state: State) -> Plan { action.plan }

  func handle(_ action: Action, state: State) async -> Effect<Self> {
    Effect { run in
      run.emit(1)
      if action.stays { await gate.enterIgnoringCancellation() }
      if action.id % 4 == 1 { throw Mishap() }
      run.emit(1)
    }
  }

  static func reduce(into state: inout State, mutation: Int) {
    state.handled += mutation
  }

  func closing(_ action: Action, outcome: Outcome) -> Int? {
    closed?.update { $0[action.id, default: 0] += 1 }
    return 1
  }
}
