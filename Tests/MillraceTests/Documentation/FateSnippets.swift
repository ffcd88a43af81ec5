import Millrace
import MillraceTesting
import Testing

/// The snippets of docs/a-call-whose-fate-is-unknown.md, as they stand there.
enum FateSnippets {
  struct Refusal: Error { let reason: String }

  // snippet.gateway
  protocol PaymentGateway: Sendable {
    /// Pays once for the key. Throws a `Refusal` where the gateway has answered no; any other error leaves the fate unknown.
    func pay(_ cents: Int, key: String) async throws

    /// Settles the fate of a key: true if it was paid; false if it was not, and never will be.
    func settle(_ key: String) async throws -> Bool
  }
  // snippet.end

  // snippet.payments
  struct Payments: Interactor {
    enum Status: Sendable, Equatable { case sent, unknown, paid, refused(String) }

    struct State: Sendable, Equatable {
      var payments: [String: Status] = [:]

      /// The payments whose fate has to be found out.
      var unknown: Set<String> { Set(payments.filter { $0.value == .unknown }.keys) }
    }

    enum Action: Sendable {
      case pay(Int, id: String)
      case settle(String)
    }

    enum Mutation: Sendable { case became(String, Status) }

    let gateway: any PaymentGateway

    /// Settles each payment of unknown fate, again and again until the fate is known; also those of a restored state.
    static let settling = Feedback<State, Action>.react(toEach: \.unknown) { id, access in
      while !Task.isCancelled {
        _ = await access.send(.settle(id)).outcome
        try? await access.clock.sleep(for: .seconds(30))
      }
    }

    func plan(for action: Action, state: State) -> Plan {
      switch action {
      case .pay(_, let id), .settle(let id): .exclusive(key: id).timeout(.seconds(10))
      }
    }

    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      switch action {
      case .pay(_, let id): state.payments[id] == nil ? .mutate(.became(id, .sent), thenHandle: true) : .ignore
      case .settle(let id): state.payments[id] == .unknown ? .handle : .ignore
      }
    }

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      Effect { run in
        switch action {
        case .pay(let cents, let id):
          do {
            try await gateway.pay(cents, key: id)
            run.emit(.became(id, .paid))
          } catch let refusal as Refusal {
            run.emit(.became(id, .refused(refusal.reason)))  // An answer, so the fate is known.
          }
        case .settle(let id):
          run.emit(.became(id, try await gateway.settle(id) ? .paid : .refused("never arrived")))
        }
      }
    }

    /// However the run of a payment ended without an answer, the money may have moved.
    func closing(_ action: Action, outcome: Outcome) -> Mutation? {
      if case .pay(_, let id) = action { .became(id, .unknown) } else { nil }
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .became(let id, let status): state.payments[id] = status
      }
    }
  }
  // snippet.end
}

@Suite("FateSnippets", .timeLimit(.minutes(1)))
struct FateSnippetsTests {
  private typealias Payments = FateSnippets.Payments

  private struct Lost: Error {}

  /// A gateway that pays, and whose answers the test gives.
  private struct Bank: FateSnippets.PaymentGateway {
    let pays = FakeCall<String, Void>("pay")
    let settles = FakeCall<String, Bool>("settle")

    func pay(_ cents: Int, key: String) async throws { try await pays(key) }
    func settle(_ key: String) async throws -> Bool { try await settles(key) }
  }

  private func store(_ bank: Bank, _ configuration: StoreConfiguration) -> Store<Payments> {
    Store(
      initial: Payments.State(), interactor: Payments(gateway: bank), configuration: configuration,
      feedbacks: [Payments.settling])
  }

  /// In worlds, whose time moves only when no task can continue: the calls of `settle` have a timeout that is shorter than the rest between them.
  @Test("A payment whose answer is lost is unknown, and settled until its fate is known")
  func lost() async {
    await Simulation.run(seeds: 0..<10) { world in
      let bank = Bank()
      bank.pays.fail(Lost())
      bank.settles.fail(Lost())
      bank.settles.reply(true)
      let store = store(bank, world.configuration)
      let receipt = store.send(.pay(5, id: "a"))
      world.expect(await receipt.outcome.kind == .failed, "the answer is lost")
      world.expect(await store.state.payments == ["a": .unknown], "the fate is unknown")
      _ = try await store.wait(until: { $0.payments == ["a": .paid] })
      world.expect(world.clock.now.offset == .seconds(30), "settled at the second attempt")
      world.expect(await store.send(.pay(5, id: "a")).outcome.kind == .finished, "it is known")
      world.expect(bank.pays.calls.count == 1, "it is not paid again")
      await store.shutdown()
    }
  }

  @Test("A payment that times out is unknown; one that the gateway answers is not")
  func answered() async throws {
    let (clock, bank) = (TestClock(), Bank())
    let held = bank.pays.hold()
    bank.settles.reply(false)
    let store = store(bank, StoreConfiguration(clock: clock))
    let receipt = store.send(.pay(5, id: "a"))
    try await held.arrived()
    clock.advance(by: .seconds(10))
    #expect(await receipt.outcome.kind == .timedOut)
    _ = try await store.wait(until: { $0.payments == ["a": .refused("never arrived")] })
    held.release()
    bank.pays.fail(FateSnippets.Refusal(reason: "no funds"))
    #expect(await store.send(.pay(5, id: "b")).outcome.kind == .finished)
    #expect(await store.state.payments["b"] == .refused("no funds"))
    await store.shutdown()
  }
}
