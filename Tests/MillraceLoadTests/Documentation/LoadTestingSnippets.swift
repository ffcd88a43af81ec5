import Millrace
import MillraceLoad
import MillraceTesting
import Testing

/// The snippets of docs/load-testing.md, as they stand there.
@Suite("Snippets of load testing", .timeLimit(.minutes(1)))
struct LoadTestingSnippets {
  struct Cart: Interactor {
    struct State: Sendable {
      var items: [Int] = []
    }
    enum Action: Sendable { case add(item: Int) }
    enum Mutation: Sendable { case added(Int) }

    let gateway: FakeShop

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      guard case .add(let item) = action else { return .none }
      return Effect { run in run.emit(.added(try await gateway.adds(item))) }
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      if case .added(let item) = mutation { state.items.append(item) }
    }
  }

  struct FakeShop: FakeGateway {
    let adds = FakeCall<Int, Int>("add")
  }

  private let shop: FakeShop = {
    let shop = FakeShop()
    shop.keepLog(.none)
    shop.adds.always { $0 }
    return shop
  }()

  /// The `main.swift` of a load program; a test cannot call it, because it ends the process.
  func program() async {
    let shop = shop
    // snippet.load-program
    await MillraceLoad.main {
      LoadScenario("carts", summary: "fills carts", rate: 2_000, users: 100) { user in
        Store(initial: Cart.State(), interactor: Cart(gateway: shop))
      } action: { request in
        .add(item: request.number)
      }
    }
    // snippet.end
  }

  @Test("A load run in a test is judged by ratios")
  func inATest() async throws {
    // snippet.test
    shop.inject(FakeFaults(seed: 1, clock: ContinuousClock(), latency: .fixed(.milliseconds(10))))
    let carts = LoadScenario("carts") { [shop] _ in
      Store(initial: Cart.State(), interactor: Cart(gateway: shop))
    } action: { request in
      .add(item: request.number)
    }
    let report = try await carts.run(LoadOptions(.open(.poisson(500)), duration: .milliseconds(500)))
    #expect(report.counts.finished == report.counts.sent)
    let (median, p99) = (try #require(report.latency.p50), try #require(report.latency.p99))
    #expect(p99 <= median * 50)
    // snippet.end
  }

  @Test("A load run in a simulated world takes no real time, and its latencies are exact")
  func inASimulation() async {
    await Simulation.run(seed: 1) { world in
      let slow = LoadScenario("slow") { _ in try await world.clock.sleep(for: .milliseconds(20)) }
      // snippet.options
      let options = LoadOptions(.open(.constant(100)), duration: .seconds(60), clock: world.clock)
      let report = try await slow.run(options)
      world.expect(report.latency.max == .milliseconds(20), "each request takes 20 ms")
      // snippet.end
    }
  }
}
