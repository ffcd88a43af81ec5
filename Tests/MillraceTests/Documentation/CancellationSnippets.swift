import Millrace
import MillraceTesting
import Testing

/// The snippets of docs/cancellation.md, as they stand there.
enum CancellationSnippets {
  protocol PriceGateway: Sendable {
    func prices() -> AsyncStream<Int>
  }

  struct Ticker: Interactor {
    enum Mutation: Sendable {
      case price(Int)
    }

    let gateway: any PriceGateway

    func handle(_ action: Bool, state: [Int]) async -> Effect<Self> {
      // snippet.interrupt
      Effect { run in
        for try await price in gateway.prices() {
          guard run.emit(.price(price)) else { return }
        }
      }
      // snippet.end
    }

    static func reduce(into state: inout [Int], mutation: Mutation) {
      switch mutation {
      case .price(let price): state.append(price)
      }
    }
  }

  static func ways(_ store: Store<RunsSnippets.Shop>) -> Receipt {
    // snippet.cancellation
    let receipt = store.send(.search("swift"))
    receipt.cancel()
    store.cancel(key: "search")
    store.cancelAll()
    // snippet.end
    return receipt
  }

  static func restock(_ store: Store<RunsSnippets.Shelf>) async {
    // snippet.tree
    let tree = RunTree()
    store.send(.restock(["pear", "fig"]), in: tree)
    await withTaskCancellationHandler {
      await tree.waitForEnd()
    } onCancel: {
      tree.cancel()
    }
    // snippet.end
  }

  static func tied(_ receipt: Receipt) async -> Outcome {
    // snippet.tie
    let outcome = await withTaskCancellationHandler {
      await receipt.outcome
    } onCancel: {
      receipt.cancel()
    }
    // snippet.end
    return outcome
  }
}

@Suite("Cancellation", .timeLimit(.minutes(1)))
struct CancellationSnippetsTests {
  private typealias Action = Chores.Action

  private struct Nowhere: RunsSnippets.Warehouse {
    func order(_ item: String, count: Int, idempotencyKey: String) async throws {}
  }

  private struct Prices: CancellationSnippets.PriceGateway {
    let stream: AsyncStream<Int>

    func prices() -> AsyncStream<Int> { stream }
  }

  @Test("R8: A tree ends with all that its runs have sent")
  func tree() async {
    let store = Store(initial: [], interactor: RunsSnippets.Shelf())
    await CancellationSnippets.restock(store)
    #expect(await store.state.last == "restocked")
  }

  @Test("R3: There are three ways to cancel, and the first one counts")
  func ways() async {
    let store = Store(initial: RunsSnippets.Shop.State(), interactor: RunsSnippets.Shop(warehouse: Nowhere()))
    #expect(await CancellationSnippets.ways(store).outcome.kind == .cancelled)
  }

  @Test("R3: A handler that asks emit returns when its run was cancelled")
  func emitAnswersFalse() async throws {
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    let store = Store(initial: [], interactor: CancellationSnippets.Ticker(gateway: Prices(stream: stream)))
    let receipt = store.send(true)
    continuation.yield(1)
    try await store.wait(until: { $0 == [1] })
    let outcome = Task { await CancellationSnippets.tied(receipt) }
    outcome.cancel()
    #expect(await outcome.value.kind == .cancelled)
    continuation.yield(2)
    #expect(await store.state == [1])
  }

  @Test("R3: The key covers held, waiting and running actions; other keys continue")
  func key() async throws {
    let store = Store(initial: [], interactor: Chores(), configuration: StoreConfiguration(clock: TestClock()))
    let gate = Gate()
    let plans = [Plan.serial(key: 1), .serial(key: 1), .latest(key: 1).debounce(.seconds(1))]
    let receipts = plans.map { store.send(Action("of 1", $0) { _ in try await gate.enter() }) }
    let other = store.send(Action("of 2", .serial(key: 2)) { _ in try await gate.enter() })
    try await gate.waitForArrivals(2)
    store.cancel(key: 1)
    // Only the one that ran was taken up.
    #expect(await store.state == ["of 1 cancelled"])
    for receipt in receipts { #expect(await receipt.outcome.kind == .cancelled) }
    gate.open()
    #expect(await other.outcome.kind == .finished)
  }

  @Test("A cancellation that a handler throws by itself is a failure")
  func ownCancellation() async {
    let store = Store(initial: [], interactor: Chores())
    #expect(await store.send(Action("A") { _ in throw CancellationError() }).outcome.kind == .failed)
  }
}
