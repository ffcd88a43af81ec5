import Millrace

/// Orders that are charged, wait for a decision, and are shipped item by item, or refunded.
///
/// Each call of a gateway is a step with a key, so that it is done once, whenever the process ends.
struct Orders: Interactor {
  struct Order: Sendable, Codable {
    let id: Int
    let items: [String]
  }

  struct State: Sendable, Codable {
    /// The receipts of the payments, by the ids of the orders.
    var receipts: [Int: String] = [:]
    /// Whether an order was approved.
    var decisions: [Int: Bool] = [:]
    var shipped: [Int: [String]] = [:]
    var refunded: Set<Int> = []
  }

  enum Action: Sendable, Codable {
    case place(Order)
    case decide(Int, isApproved: Bool)
  }

  enum Mutation: Sendable, Codable {
    case charged(Int, receipt: String)
    case decided(Int, isApproved: Bool)
    case shipped(Int, item: String)
    case refunded(Int)
  }

  let payments: Gateway
  let warehouse: Gateway

  func plan(for action: Action, state: State) -> Plan {
    switch action {
    case .place(let order): .serial(key: order.id).recovery(.handleAgain)
    case .decide: .concurrent
    }
  }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .place: .handle
    case .decide(let id, let isApproved): .mutate(.decided(id, isApproved: isApproved))
    }
  }

  func handle(_ action: Action, state: State) -> Effect<Self> {
    guard case .place(let order) = action else { return .none }
    return Effect { run in
      try await run.step("charge", commit: { [.charged(order.id, receipt: $0)] }) { step in
        try await payments.call("charge order \(order.id)", key: step.idempotencyKey)
      }
      try await run.sleep("grace", for: .milliseconds(20))
      var isApproved = false
      do {
        isApproved = try await run.wait("decision", timeout: .seconds(86_400)) { $0.decisions[order.id] }
      } catch let failure as StepFailure where failure.isTimeout {}  // It is refunded.
      guard isApproved else {
        return try await run.step("refund", commit: { [.refunded(order.id)] }) { step in
          _ = try await payments.call("refund order \(order.id)", key: step.idempotencyKey)
        }
      }
      for item in order.items {
        try await run.step("ship \(item)", commit: { [.shipped(order.id, item: item)] }) { step in
          _ = try await warehouse.call("ship \(item) of order \(order.id)", key: step.idempotencyKey)
        }
      }
    }
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .charged(let id, let receipt): state.receipts[id] = receipt
    case .decided(let id, let isApproved): state.decisions[id] = isApproved
    case .shipped(let id, let item): state.shipped[id, default: []].append(item)
    case .refunded(let id): state.refunded.insert(id)
    }
  }
}
