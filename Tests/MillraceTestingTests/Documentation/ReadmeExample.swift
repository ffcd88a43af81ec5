import Foundation
// snippet.readme
import Millrace
// snippet.end
import MillraceTesting
import Testing

/// The example of README.md and its test, as they stand there.
@Suite("The example of README.md", .timeLimit(.minutes(1)))
struct ReadmeExample {
  // snippet.readme
  protocol PriceGateway: Sendable { func price(of item: String) async throws -> Int }
  struct Prices: Interactor {
    struct Action { let item: String }  // An enum, if there are several.
    struct Mutation { let item: String, price: Int }
    struct State { var prices: [String: Int] = [:] }
    let gateway: any PriceGateway
    func plan(for action: Action, state: State) -> Plan {  // Actions of one item share one run.
      .shared(key: action.item).timeout(.seconds(5))
    }
    func decide(_ action: Action, state: State) -> Decision<Mutation> {  // Sees the newest state.
      state.prices[action.item] == nil ? .handle : .ignore  // `.ignore` finishes the action.
    }
    func handle(_ action: Action, state: State) async -> Effect<Self> {  // After `.handle`; may suspend.
      Effect { run in run.emit(Mutation(item: action.item, price: try await gateway.price(of: action.item))) }
    }
    static func reduce(into state: inout State, mutation: Mutation) {  // Pure; nothing else writes.
      state.prices[mutation.item] = mutation.price
    }
  }
  // snippet.end

  /// Asks for the price of tea.
  static func price(in gateway: any PriceGateway) async throws -> Int? {
    // snippet.readme
    let store = Store(initial: .init(), interactor: Prices(gateway: gateway))
    let price = try await store.request(.init(item: "tea"), returning: { $0.prices["tea"] })  // Throws unless finished.
    // snippet.end
    return price
  }

  // snippet.readme-test
  struct FakePrices: PriceGateway, FakeGateway {
    let calls = FakeCall<String, Int>("price")
    func price(of item: String) async throws -> Int { try await calls(item) }
  }
  @Test("Two misses are one fetch") func twoMisses() async throws {
    let gateway = FakePrices()
    let call = gateway.calls.hold()  // One call is expected; a second one fails the test.
    let store = Store(initial: .init(), interactor: Prices(gateway: gateway))
    let (first, second) = (store.send(.init(item: "tea")), store.send(.init(item: "tea")))
    call.release(3)
    #expect(await [first.outcome.kind, second.outcome.kind] == [.finished, .finished])
    #expect(await store.state.prices == ["tea": 3])
    await gateway.finish()
  }
  // snippet.end

  @Test("A request returns the price, or throws the outcome of a fetch that failed")
  func request() async throws {
    struct Offline: Error {}
    let gateway = FakePrices()
    gateway.calls.reply(3)
    #expect(try await Self.price(in: gateway) == 3)
    gateway.calls.fail(Offline())
    let error = await #expect(throws: StoreError.self) { try await Self.price(in: gateway) }
    #expect(error?.outcome?.kind == .failed)
    await gateway.finish()
  }

  @Test("A price that is known is not fetched again")
  func hit() async throws {
    let gateway = FakePrices()
    let store = Store(initial: .init(prices: ["tea": 3]), interactor: Prices(gateway: gateway))
    #expect(await store.send(.init(item: "tea")).outcome.kind == .finished)
    #expect(gateway.calls.requests.isEmpty)
    await gateway.finish()
  }

  @Test("A fetch without an answer ends after five seconds, for everyone who shares it")
  func timeout() async throws {
    let (gateway, clock) = (FakePrices(), TestClock())
    let call = gateway.calls.hold()
    let store = Store(
      initial: .init(), interactor: Prices(gateway: gateway), configuration: StoreConfiguration(clock: clock))
    let (first, second) = (store.send(.init(item: "tea")), store.send(.init(item: "tea")))
    try await call.arrived()
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(5))
    #expect(await first.outcome.kind == .timedOut)
    #expect(await second.outcome.kind == .timedOut)
    #expect(await store.state.prices.isEmpty)
    await gateway.finish()
  }

  @Test("README.md has fewer than 110 lines, and the two commands by themselves")
  func length() throws {
    let file = URL(filePath: #filePath).appending(path: "../../../../README.md").standardized
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count - 1 < 110)  // The last one is the nothing behind the last line break.
    #expect(lines.split(separator: "```").contains(["swift run -c release pulse --for 10", "Tests/run"]))
  }
}
