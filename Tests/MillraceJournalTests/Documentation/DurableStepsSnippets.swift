import Millrace
import MillraceJournal
import MillraceTesting
import Testing

/// The snippets of docs/durable-steps.md, as they stand there.
@Suite("DurableStepsSnippets", .timeLimit(.minutes(1)))
struct DurableStepsSnippets {
  @Test("An order that waits is opened again, and each gateway does its work once")
  func order() async throws {
    let (journal, clock, payments, warehouse) = (MemoryJournal(), TestClock(), Payments(), Warehouse())
    func open() async throws -> Store<Purchases> {
      try await Store.open(
        initial: Purchases.State(), interactor: Purchases(payments: payments, warehouse: warehouse), journal: journal,
        key: "purchases", configuration: StoreConfiguration(clock: clock))
    }
    let first = try await open()
    first.send(.buy(id: 7, items: ["a", "b"]), key: "purchase 7")
    try await clock.waitForSleepers()
    // The process ends here, and another one begins.
    let second = try await open()
    try await clock.waitForSleepers(2)
    clock.advance(by: .seconds(3_600))
    #expect(await second.send(.approve(7)).outcome.kind == .finished)
    #expect(await second.send(.buy(id: 7, items: ["a", "b"]), key: "purchase 7").outcome.kind == .finished)
    #expect(await second.state.shipped == [7])
    #expect(payments.calls.recorded == ["9.purchases/10.purchase 7.charge"])
    #expect(warehouse.calls.recorded == ["a", "b"].map { "9.purchases/10.purchase 7.ship \($0)" })
    withExtendedLifetime(first) {}
  }

  @Test("A failure of a step leads to the same branch each time, and a cancellation to none")
  func refund() async throws {
    let (refunded, calls) = (Recorder<Int>(), Recorder<String>())
    let store = Store(
      initial: [],
      interactor: Closure { run in
        // snippet.catch
        do {
          let retry = StepRetry(attempts: 3, if: { !($0 is Declined) }, backoff: .none, timeout: .seconds(10))
          try await run.step("charge", retry: retry) { step in
            try await charge(key: step.idempotencyKey)
          }
        } catch  where !(error is CancellationError) {
          try await run.step("refund") { _ in try await refund() }
        }
        // snippet.end
        @Sendable func charge(key: String) async throws {
          calls.record(key)
          if calls.recorded.count > 1 { throw Declined() }
          throw Unavailable()
        }
        @Sendable func refund() async throws { refunded.record(1) }
      })
    #expect(await store.send(()).outcome.kind == .finished)
    #expect(refunded.recorded == [1] && calls.recorded.count == 2)
  }

  struct Declined: Error {}
  struct Unavailable: Error {}

  /// An interactor with one handler.
  struct Closure: Interactor {
    let body: @Sendable (Run<Closure>) async throws -> Void

    func handle(_ action: Void, state: [Int]) -> Effect<Self> { Effect(body) }

    static func reduce(into state: inout [Int], mutation: Int) { state.append(mutation) }
  }
}

/// A gateway that charges an order once for a key.
struct Payments: Sendable {
  let calls = Recorder<String>()

  func charge(_ order: Int, key: String) async throws -> String {
    calls.record(key)
    return "receipt of \(order)"
  }
}

struct Warehouse: Sendable {
  let calls = Recorder<String>()

  func ship(_ item: String, key: String) async throws { calls.record(key) }
}

struct Purchases: Interactor {
  struct State: Sendable, Codable {
    var receipts: [Int: String] = [:]
    var approvals: Set<Int> = []
    var shipped: [Int] = []
  }

  enum Action: Sendable, Codable {
    case buy(id: Int, items: [String])
    case approve(Int)
  }

  enum Mutation: Sendable, Codable {
    case charged(Int, receipt: String)
    case approved(Int)
    case shipped(Int)
  }

  let payments: Payments
  let warehouse: Warehouse

  func plan(for action: Action, state: State) -> Plan {
    if case .buy(let id, _) = action { .serial(key: id).recovery(.handleAgain) } else { .concurrent }
  }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    if case .approve(let id) = action { .mutate(.approved(id)) } else { .handle }
  }

  // snippet.order
  func handle(_ action: Action, state: State) -> Effect<Self> {
    guard case .buy(let id, let items) = action else { return .none }
    return Effect { run in
      try await run.step("charge", commit: { [.charged(id, receipt: $0)] }) { step in
        try await payments.charge(id, key: step.idempotencyKey)
      }
      try await run.sleep("grace", for: .seconds(3_600))
      _ = try await run.wait("approval") { $0.approvals.contains(id) ? true : nil }
      for item in items {
        try await run.step("ship \(item)") { step in try await warehouse.ship(item, key: step.idempotencyKey) }
      }
      run.emit(.shipped(id), once: "shipped")
    }
  }
  // snippet.end

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .charged(let id, let receipt): state.receipts[id] = receipt
    case .approved(let id): state.approvals.insert(id)
    case .shipped(let id): state.shipped.append(id)
    }
  }
}
