import Millrace
import MillraceTesting
import Testing

/// The example of README.md, as it stands there.
// swift-format-ignore
enum ReadmeExample {
  struct Records: Interactor {
    enum Action { case reload }
    enum Mutation { case loading, loaded([String]), failure(String) }
    struct State { var isLoading = false, records: [String] = [], failure: String? }
    let fetch: @Sendable () async throws -> [String]
    func handle(_ action: Action, state: State) async -> Effect<Self> {
      Effect { run in run.emit(.loading); run.emit(.loaded(try await fetch())) }
    }
    func closing(_ action: Action, outcome: Outcome) -> Mutation? { .failure("\(outcome)") }
    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .loading: state.isLoading = true
      case .loaded(let records): state = State(records: records)
      case .failure(let reason): state = State(records: state.records, failure: reason)
      }
    }
  }

  /// Runs until its task is cancelled.
  static func run(_ print: (Records.State) -> Void) async {
    let store = Store(initial: .init(), interactor: Records(fetch: { ["first", "second"] }))
    store.send(.reload)
    for await state in store.states { print(state) }
  }
}

@Suite("The example of README.md", .timeLimit(.minutes(1)))
struct ReadmeExampleTests {
  private struct Offline: Error {}

  @Test("It goes from nothing over loading to records")
  func itLoads() async throws {
    let states = Recorder<ReadmeExample.Records.State>()
    let task = Task { await ReadmeExample.run { states.record($0) } }
    while try await states.next().records != ["first", "second"] {}
    #expect(states.recorded.last?.isLoading == false)
    task.cancel()
    await task.value
  }

  @Test("It says what went wrong, and loads no more")
  func itFails() async {
    let store = Store(initial: .init(), interactor: ReadmeExample.Records(fetch: { throw Offline() }))
    #expect(await store.send(.reload).outcome.kind != .finished)
    let state = await store.state
    #expect(!state.isLoading)
    #expect(state.failure?.contains("Offline") == true)
  }
}
