import MillraceTesting
import Testing

@testable import Millrace

@Suite("StoreWitness", .timeLimit(.minutes(1)))
struct StoreWitnessTests {
  /// Decides, handles, fails and hangs.
  private struct Steps: Interactor {
    enum Action: Sendable { case decide, handle, fail, hang }

    let gate = Gate()

    func plan(for action: Action, state: Int) -> Plan {
      action == .fail ? .concurrent.retry(2, backoff: .none) : .concurrent
    }

    func decide(_ action: Action, state: Int) -> Decision<String> {
      action == .decide ? .mutate(["decided", "twice"]) : .handle
    }

    func handle(_ action: Action, state: Int) async -> Effect<Self> {
      Effect { run in
        switch action {
        case .decide: return
        case .handle: run.emit("emitted")
        case .fail: throw CancellationError()
        case .hang: await gate.enterIgnoringCancellation()
        }
      }
    }

    static func reduce(into state: inout Int, mutation: String) { state += 1 }
  }

  /// Writes down what it is told.
  private final class Witness: InterceptingWitness {
    let notes = Recorder<String>()
    let cancellations = Recorder<@Sendable () -> Void>()
    let openActions = Recorder<@Sendable () -> [OpenAction]>()
    let intercepts: Bool

    init(intercepts: Bool = false) { self.intercepts = intercepts }

    func storeMade(cancelAll: @escaping @Sendable () -> Void, openActions: @escaping @Sendable () -> [OpenAction]) {
      notes.record("made")
      cancellations.record(cancelAll)
      self.openActions.record(openActions)
    }

    func interceptor<I: Interactor>(
      from state: I.State, of interactor: I.Type
    ) -> (any Interceptor<I>)? {
      intercepts ? Noting<I>(notes: notes, state: state) : nil
    }

    func numberStore() -> Int? { nil }

    func committed<I: Interactor>(
      _ mutation: I.Mutation, revision: Int, state: I.State, identity: AnyObject, of interactor: I.Type
    ) {
      notes.record("\(interactor) \(revision) \(mutation) led to \(state)")
    }

    func handlerBegins<I: Interactor>(_ action: I.Action, of interactor: I.Type) -> Int {
      notes.record("\(action) begins")
      return notes.recorded.count
    }

    func handlerReturned(_ number: Int) {
      notes.record("\(number) returned")
    }
  }

  /// The interceptor of a witness.
  private struct Noting<I: Interactor>: Interceptor {
    let notes: Recorder<String>
    let state: I.State

    func committed(_ mutation: I.Mutation, revision: Int, cause: Cause<I.Action>, state: borrowing I.State) {
      notes.record("\(mutation) from \(self.state)")
    }
  }

  private let witness = Witness()

  private var configuration: StoreConfiguration {
    var configuration = StoreConfiguration(clock: ImmediateClock())
    configuration.witness = witness
    return configuration
  }

  @Test("It is notified of each commit with its state, and of a handler before and after it")
  func order() async {
    let store = Store(initial: 0, interactor: Steps(), configuration: configuration)
    store.send(.decide)
    _ = await store.send(.handle).outcome
    #expect(
      witness.notes.recorded == [
        "made", "Steps 1 decided led to 1", "Steps 2 twice led to 2", "handle begins", "Steps 3 emitted led to 3",
        "4 returned",
      ])
  }

  @Test("It is notified of each attempt")
  func attempts() async {
    let store = Store(initial: 0, interactor: Steps(), configuration: configuration)
    _ = await store.send(.fail).outcome
    #expect(witness.notes.recorded == ["made", "fail begins", "2 returned", "fail begins", "4 returned"])
  }

  @Test("It continues to check when interceptors and observers have come and left")
  func interceptors() async {
    let store = Store(initial: 0, interactor: Steps(), configuration: configuration)
    store.setInterceptors([TransitionHistory(keeping: 1)])
    store.send(.decide)
    store.setInterceptors([])
    _ = try? await store.wait { $0 == 2 }
    store.send(.decide)
    #expect(
      witness.notes.recorded == [
        "made", "Steps 1 decided led to 1", "Steps 2 twice led to 2", "Steps 3 decided led to 3",
        "Steps 4 twice led to 4",
      ])
  }

  @Test("Its interceptor is there from the start, and stays when others come and leave")
  func ownInterceptor() async {
    let witness = Witness(intercepts: true)
    var configuration = configuration
    configuration.witness = witness
    let store = Store(initial: 0, interactor: Steps(), configuration: configuration)
    store.send(.decide)
    let history = TransitionHistory<Steps>(keeping: 9)
    store.setInterceptors([history])
    store.send(.decide)
    store.setInterceptors([])
    store.send(.decide)
    _ = try? await store.wait { $0 == 6 }
    #expect(history.kept.count == 2)
    #expect(
      witness.notes.recorded.filter { $0.contains(" from ") } == [
        "decided from 0", "twice from 0", "decided from 2", "twice from 2", "decided from 4", "twice from 4",
      ])
  }

  @Test("It is given each open action with the reason why that has not ended")
  func openActions() async throws {
    /// Waits in each handler, with the plan of the action.
    struct Waiting: Interactor {
      let gate = Gate()
      let plans: [Plan]

      func plan(for action: Int, state: Int) -> Plan { plans[action] }

      func handle(_ action: Int, state: Int) -> Effect<Self> {
        Effect { _ in await gate.enterIgnoringCancellation() }
      }

      static func reduce(into state: inout Int, mutation: Int) {}
    }
    let interactor = Waiting(plans: [
      .serial(key: "k"), .serial(key: "k"), .concurrent.limited(to: 1, key: 7), .concurrent.limited(to: 1, key: 7),
      .latest(key: "d").debounce(.seconds(1)), .shared(key: "s"), .concurrent,
    ])
    var configuration = configuration
    configuration.limits = StoreConfiguration.Limits(runsInFlight: 3)
    configuration.clock = TestClock()
    let store = Store(initial: 0, interactor: interactor, configuration: configuration)
    let receipts = [0, 1, 2, 3, 4, 5, 6, 5, 1].map { store.send($0) }
    try await interactor.gate.waitForArrivals(3)
    let open = try #require(witness.openActions.recorded.first)
    func sentences() -> [String] {
      open().map { "\($0)".split(separator: " ").filter { $0.first != "#" }.joined(separator: " ") }
    }
    #expect(open().first.map { "\($0)".hasPrefix("\(receipts[0].id)@") } == true)
    let runs = open().compactMap(\.run)
    #expect(open().map(\.waitsFor) == [[], [runs[0]], [], [runs[2]], [], [], [], [runs[5]], [runs[0]]])
    #expect(open().allSatisfy { $0.awaitedBy == nil })
    #expect(
      sentences() == [
        "0 has a handler that has not returned",
        "1 waits for the turn of key \"k\", which 0 has",
        "2 has a handler that has not returned",
        "3 waits for a permit of key 7, which 2 has",
        "4 waits for the end of its debounce or throttle",
        "5 has a handler that has not returned",
        "6 waits for one of the store's slots",
        "5 shares the run of 5",
        "1 waits for the turn of key \"k\", which 0 has",
      ])
    receipts[0].cancel()
    _ = await receipts[0].outcome
    #expect(sentences().first == "0 has ended, and its handler has not returned")
    interactor.gate.open()
    for receipt in receipts.dropFirst() { receipt.cancel() }
  }

  @Test("It tells stores apart by what stands for each")
  func identity() {
    let (one, two) = (
      Store(initial: 0, interactor: Steps(), configuration: configuration),
      Store(initial: 0, interactor: Steps(), configuration: configuration)
    )
    #expect(one.identity === one.identity && one.identity !== two.identity)
  }

  @Test("It may cancel all that the store has accepted, and does not hold it")
  func cancelling() async throws {
    var store: Store<Steps>? = Store(initial: 0, interactor: Steps(), configuration: configuration)
    weak let core = store?.core
    let cancel = try #require(witness.cancellations.recorded.first)
    let steps = Steps()
    store = Store(initial: 0, interactor: steps, configuration: configuration)
    #expect(core == nil)
    cancel()
    let receipt = try #require(store?.send(.hang))
    witness.cancellations.recorded.last?()
    #expect(await receipt.outcome.kind == .cancelled)
    steps.gate.open()
  }
}
