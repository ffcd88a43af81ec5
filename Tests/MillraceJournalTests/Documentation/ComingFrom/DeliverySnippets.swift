import Millrace
import MillraceJournal
import MillraceTesting
import Testing

/// The snippets of docs/coming-from-temporal-and-akka.md, as they stand there.
enum DeliverySnippets {
  struct Refusal: Error {}

  // snippet.delivery
  struct Delivery: Interactor {
    /// A step of an order; the state asks for it until its answer is there.
    struct Step: Sendable, Hashable, Codable {
      enum Kind: String, Codable { case charge, ship, refund }

      let order: String
      let kind: Kind

      /// The gateway's key for the step: the same in each attempt and in each process.
      var key: String { "\(order).\(kind)" }
    }

    enum Status: String, Codable { case placed, charged, shipped, refused, refunded }

    struct State: Sendable, Codable {
      var orders: [String: Status] = [:]
      var due: Set<Step> = []
    }

    enum Action: Sendable, Codable { case place(String), perform(Step) }
    enum Mutation: Sendable, Codable { case placed(String), done(Step), refused(Step) }

    let perform: @Sendable (Step, _ idempotencyKey: String) async throws -> Void

    /// Performs each step that is due until its answer is in the state; also the steps of a restored state.
    static let steps = Feedback<State, Action>.react(toEach: \.due) { step, access in
      while !Task.isCancelled {
        _ = await access.send(.perform(step)).outcome
        try? await access.clock.sleep(for: .seconds(60))
      }
    }

    func plan(for action: Action, state: State) -> Plan {
      switch action {
      case .place: .concurrent
      case .perform(let step): .serial(key: step.order).attemptTimeout(.seconds(10)).retry(3)
      }
    }

    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      switch action {
      case .place(let order): state.orders[order] == nil ? .mutate(.placed(order)) : .ignore
      case .perform(let step): state.due.contains(step) ? .handle : .ignore
      }
    }

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      Effect { run in
        guard case .perform(let step) = action else { return }
        do {
          try await perform(step, step.key)
          run.emit(.done(step))
        } catch is Refusal {
          run.emit(.refused(step))  // An answer; every other error leaves the step due.
        }
      }
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .placed(let order):
        state.orders[order] = .placed
        state.due.insert(Step(order: order, kind: .charge))
      case .done(let step):
        state.due.remove(step)
        switch step.kind {
        case .charge:
          state.orders[step.order] = .charged
          state.due.insert(Step(order: step.order, kind: .ship))
        case .ship: state.orders[step.order] = .shipped
        case .refund: state.orders[step.order] = .refunded
        }
      case .refused(let step):
        state.due.remove(step)
        state.orders[step.order] = .refused
        if step.kind == .ship { state.due.insert(Step(order: step.order, kind: .refund)) }  // The compensation.
      }
    }
  }
  // snippet.end

  static func open(
    in journal: any Journal, clock: any Clock<Duration>,
    perform: @escaping @Sendable (Delivery.Step, String) async throws -> Void
  ) async throws -> Store<Delivery> {
    // snippet.open
    let store = try await Store.open(
      initial: .init(), interactor: Delivery(perform: perform), journal: journal, key: "delivery",
      configuration: StoreConfiguration(clock: clock), feedbacks: [Delivery.steps])
    // snippet.end
    return store
  }
}

@Suite("The snippets of docs/coming-from-temporal-and-akka.md", .timeLimit(.minutes(1)))
struct DeliverySnippetsTests {
  private typealias Step = DeliverySnippets.Delivery.Step

  private struct Unavailable: Error {}

  private struct FakeWorld: FakeGateway {
    let steps = FakeCall<Step, Void>("perform")
    let keys = Recorder<String>()
  }

  private let world = FakeWorld()
  private let clock = TestClock()
  private let journal = MemoryJournal()
  private let charge = Step(order: "7", kind: .charge)
  private let ship = Step(order: "7", kind: .ship)
  private let refund = Step(order: "7", kind: .refund)

  private func open() async throws -> Store<DeliverySnippets.Delivery> {
    try await DeliverySnippets.open(in: journal, clock: clock) { [world] step, key in
      world.keys.record(key)
      try await world.steps(step)
    }
  }

  @Test("A step that was on its way at a crash is performed again with its key, and the one before it is not")
  func crash() async throws {
    world.steps.when(charge).reply()
    let lost = world.steps.when(ship).hold()
    let first = try await open()
    #expect(await first.send(.place("7")).outcome.kind == .finished)
    try await lost.arrived()

    world.steps.when(ship).reply()
    let second = try await open()  // The first store has not been shut down: for the log, that is a crash.
    _ = try await second.wait(until: { $0.orders["7"] == .shipped }, timeout: nil)
    #expect(world.keys.recorded == ["7.charge", "7.ship", "7.ship"])
    #expect(await second.state.due.isEmpty)
    lost.release()
    await second.shutdown()
    await world.finish()
  }

  @Test("An order that cannot be shipped is refunded, after a refund that failed too")
  func compensation() async throws {
    world.steps.when(charge).reply()
    world.steps.when(ship).fail(DeliverySnippets.Refusal())
    let failing = world.steps.when(refund).hold()
    let store = try await open()
    #expect(await store.send(.place("7")).outcome.kind == .finished)
    try await failing.arrived()
    #expect(await store.state.orders["7"] == .refused)
    world.steps.when(refund).reply()
    failing.fail(Unavailable())
    try await clock.advance(toNextDeadlineWithin: .seconds(1))
    _ = try await store.wait(until: { $0.orders["7"] == .refunded }, timeout: nil)
    #expect(world.steps.requests == [charge, ship, refund, refund])
    await store.shutdown()
    await world.finish()
  }
}
