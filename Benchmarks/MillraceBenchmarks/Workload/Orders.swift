#if SQLite || Postgres
  import Millrace
  import MillraceJournal

  /// Orders that are placed, charged by a gateway, and paid: an action that is handled, with three entries of a journal.
  struct Orders: Interactor {
    struct Order: Codable, Sendable {
      let id: Int
      let account: Int
      let cents: Int
      let note: String

      /// The order with this number.
      init(_ number: Int) {
        id = number
        account = number & 63
        cents = number
        note = "order \(number)"
      }
    }

    enum Action: Codable, Sendable {
      case pay(Order)
    }

    enum Mutation: Codable, Sendable {
      case placed(Order)
      case paid(id: Int, charge: String)
      case failed(id: Int)
    }

    struct State: Codable, Sendable {
      var open: [Int: Order] = [:]
      var paid = 0
      var balances = Array(repeating: 0, count: 64)
    }

    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      switch action {
      case .pay(let order): .mutate(.placed(order), thenHandle: true)
      }
    }

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      guard case .pay(let order) = action else { return .none }
      return Effect { run in run.emit(.paid(id: order.id, charge: try await charge(order))) }
    }

    func closing(_ action: Action, outcome: Outcome) -> Mutation? {
      guard case .pay(let order) = action else { return nil }
      return .failed(id: order.id)
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .placed(let order): state.open[order.id] = order
      case .paid(let id, _):
        guard let order = state.open.removeValue(forKey: id) else { return }
        state.balances[order.account] &+= order.cents
        state.paid += 1
      case .failed(let id): state.open[id] = nil
      }
    }
  }

  /// The gateway, which takes a millisecond; returns the name of the charge.
  private func charge(_ order: Orders.Order) async throws -> String {
    try await Task.sleep(for: Request.latency)
    return "charge \(order.id)"
  }

  /// The same by hand: an actor with the state, and a log with the same entries that each order waits for.
  actor OrderDesk {
    private var state = Orders.State()
    private var takeUps: UInt64 = 0
    private let log: GroupCommit
    private let coder = JSONJournalCoder()

    init(_ log: GroupCommit) { self.log = log }

    var paid: Int { state.paid }

    func pay(_ order: Orders.Order) async throws {
      takeUps += 1
      let run = takeUps
      let placed = Orders.Mutation.placed(order)
      let head = EntryHead.OrderTakeUp(
        action: .pay(order), key: "0123456789abcdef-\(run)", isSendersKey: false, handlesAgain: false,
        time: 1_764_000_000_000)
      let takeUp = try GroupCommit.Entry(3, head: head, mutation: placed, coder)
      Orders.reduce(into: &state, mutation: placed)
      await log.append(takeUp)
      let paid = Orders.Mutation.paid(id: order.id, charge: try await charge(order))
      let emit = try GroupCommit.Entry(4, head: EntryHead.Emit(run: run), mutation: paid, coder)
      Orders.reduce(into: &state, mutation: paid)
      let end = try GroupCommit.Entry(
        5, head: EntryHead.End(run: run, outcome: "finished"), mutation: Orders.Mutation?.none, coder)
      await log.append(emit, end)
    }
  }
#endif
