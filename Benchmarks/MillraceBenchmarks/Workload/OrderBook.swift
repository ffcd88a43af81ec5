import Millrace

/// Orders that are paid by handlers, which read the part of the state that they need.
struct OrderBook: Interactor {
  struct Order: Sendable {
    var total = 1
    var isPaid = false
  }

  struct State: Sendable {
    var orders: [Int: Order]
    var paid = 0

    /// A state with this number of orders.
    init(_ count: Int) {
      orders = Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, Order()) })
    }
  }

  struct Paid: Sendable {
    let order: Int
    let total: Int
  }

  func handle(_ action: Int, state: State) async -> Effect<Self> {
    Effect { run in
      let total = try await run.state.orders[action]?.total ?? 0
      await Task.yield()
      run.emit(Paid(order: action, total: total))
    }
  }

  static func reduce(into state: inout State, mutation: Paid) {
    state.orders[mutation.order]?.isPaid.toggle()
    state.paid += mutation.total
  }
}
