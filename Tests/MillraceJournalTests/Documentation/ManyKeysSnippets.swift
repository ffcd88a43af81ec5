import Millrace
import MillraceJournal
import MillraceTesting
import Testing

/// The snippets of docs/many-keys.md, as they stand there.
@Suite("ManyKeysSnippets", .timeLimit(.minutes(1)))
struct ManyKeysSnippets {
  // snippet.Order
  struct OrderID: LosslessStringConvertible, Hashable, Sendable {
    let number: Int

    init(number: Int) { self.number = number }

    init?(_ description: String) {
      guard let number = Int(description), "\(number)" == description else { return nil }
      self.number = number
    }

    var description: String { "\(number)" }
  }

  struct Order: Interactor {
    struct State: Codable, Sendable, Equatable {
      var total = 0
      var isPaid = false
    }

    enum Action: Codable, Sendable {
      case add(price: Int)
      case pay
    }

    enum Mutation: Codable, Sendable {
      case added(price: Int)
      case paid
    }

    let id: OrderID
    let payments: any Payments

    func plan(for action: Action, state: State) -> Plan {
      if case .pay = action { .exclusive(key: "pay").recovery(.handleAgain) } else { .concurrent }
    }

    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      if case .add(let price) = action { .mutate(.added(price: price)) } else { .handle }
    }

    func handle(_ action: Action, state: State) -> Effect<Order> {
      Effect { run in
        let total = try await run.state.total
        try await run.step("charge", commit: { [.paid] }) { step in
          try await payments.charge(total, for: id, key: step.idempotencyKey)
        }
      }
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .added(let price): state.total += price
      case .paid: state.isPaid = true
      }
    }
  }
  // snippet.end

  /// A cart whose owner is reminded of it a day after the last change.
  struct Cart: Interactor {
    struct State: Codable, Sendable {
      var reminders = Timers<String>()
      var reminded = 0
    }

    enum Action: Codable, Sendable {
      case touch(now: Int64)
      case remind(String)
    }

    func decide(_ action: Action, state: State) -> Decision<Action> { .mutate(action) }

    static func reduce(into state: inout State, mutation: Action) {
      switch mutation {
      case .touch(let now): state.reminders.set("abandoned", at: now + 86_400_000)
      case .remind(let reminder): if state.reminders.remove(reminder) != nil { state.reminded += 1 }
      }
    }
  }

  protocol Payments: Sendable {
    func charge(_ amount: Int, for order: OrderID, key: String) async throws
  }

  struct Paid: Payments {
    func charge(_ amount: Int, for order: OrderID, key: String) async throws {}
  }

  @Test("A timer opens the key of a cart")
  func carts() async throws {
    let (journal, clock, id) = (MemoryJournal(), TestClock(), OrderID(number: 17))
    let configuration = StoreConfiguration(clock: clock)
    // snippet.feedbacks
    let carts = try await Stores<OrderID, Cart>.open(
      name: "carts", journal: journal, configuration: configuration, initial: { _ in Cart.State() },
      feedbacks: { _ in [.timers(of: \.reminders) { .remind($0) }] }, interactor: { _ in Cart() })
    carts.send(.touch(now: configuration.wallTime()), to: id)
    // snippet.end
    while clock.now.offset < .seconds(86_400) { try await clock.advanceToNextDeadline() }
    #expect(try await carts.wait(for: id) { $0.reminded > 0 }.reminded == 1)
    await carts.shutdown()
  }

  @Test("K5: A program ends when another process takes its keys")
  func fenced() async throws {
    let (journal, id) = (MemoryJournal(), OrderID(number: 17))
    @Sendable func open() async throws -> Stores<OrderID, Order> {
      var configuration = StoreConfiguration()
      configuration.report = { _ in }
      return try await Stores<OrderID, Order>.open(
        name: "orders", journal: journal, configuration: configuration, initial: { _ in Order.State() },
        interactor: { Order(id: $0, payments: Paid()) })
    }
    let orders = try await open()
    @Sendable func serve() async -> Int32 {
      // snippet.fenced
      await orders.run(drainFor: .seconds(10))
      let report = await orders.shutdown()
      print(report)
      await journal.close()
      return report.isClean ? 0 : 1
      // snippet.end
    }
    async let code = serve()
    let newcomer = try await open()
    #expect(await orders.send(.add(price: 30), to: id).outcome.kind == .failed)
    #expect(await code == 1)
    await newcomer.shutdown()
  }

  @Test("Orders are opened, sent to, observed, hibernated, listed, erased and shut down")
  func orders() async throws {
    let (journal, payments, id) = (MemoryJournal(), Paid(), OrderID(number: 17))
    // snippet.open
    let orders = try await Stores<OrderID, Order>.open(
      name: "orders", journal: journal, limits: StoresLimits(live: 10_000, idle: .seconds(60)),
      initial: { _ in Order.State() }, interactor: { Order(id: $0, payments: payments) })
    // snippet.end
    // snippet.use
    orders.send(.add(price: 30), to: id)
    let outcome = await orders.send(.pay, to: id, key: "request 17").outcome
    let total = try await orders.request(.add(price: 5), of: id, returning: { $0.total })
    let isPaid = try await orders.state(of: id).isPaid
    // snippet.end
    #expect(outcome.kind == .finished && total == 35 && isPaid)
    // snippet.observe
    for await total in orders.values(of: id, { $0.total }) {
      if total >= 35 { break }
    }
    try await orders.wait(for: id, until: { $0.isPaid }, timeout: .seconds(5))
    // snippet.end
    // snippet.keys
    let first = try await orders.keys(prefix: "1")
    let open = orders.liveKeys()
    let due = try await orders.dueKeys()
    await orders.hibernate(id)
    try await orders.erase(id)
    // snippet.end
    #expect(first == [id] && open == [id] && due.isEmpty)
    #expect(try await orders.state(of: id) == Order.State())
    // snippet.end-of-all
    let report = await orders.shutdown(drainFor: .seconds(10))
    if !report.isClean { print(report) }
    // snippet.end
    #expect(report.isClean)
    // snippet.memory
    let sessions = Stores<OrderID, Order>.inMemory(
      name: "sessions", initial: { _ in Order.State() }, interactor: { Order(id: $0, payments: payments) })
    // snippet.end
    await sessions.shutdown()
  }
}
