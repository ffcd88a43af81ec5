import MillraceTesting
import Testing

@testable import Millrace

@Suite("StoreWitness", .timeLimit(.minutes(1)))
struct StoreWitnessTests {
  /// Decides, handles, fails and hangs.
  private struct Steps: Interactor {
    enum Action: Sendable { case decide, handle, fail, hang }

    let gate = Gate()

    func plan(for action: Action) -> Plan {
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
  private final class Witness: StoreWitness {
    let notes = Recorder<String>()
    let cancellations = Recorder<@Sendable () -> Void>()

    func storeMade(cancelAll: @escaping @Sendable () -> Void) {
      notes.record("made")
      cancellations.record(cancelAll)
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
