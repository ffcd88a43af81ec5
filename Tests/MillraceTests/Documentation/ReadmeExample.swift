// snippet.readme
import Millrace
// snippet.end
import MillraceTesting
import Testing

/// The example of README.md, as it stands there.
// swift-format-ignore
enum ReadmeExample {
  // snippet.readme
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
  // snippet.end

  static func run(_ print: @escaping @Sendable (Any) -> Void) async {
    // snippet.readme
    let store = Store(initial: .init(), interactor: Records(fetch: { ["first", "second"] }))
    let showing = Task { for await state in store.states { print(state) } }
    print(await store.send(.reload).outcome)
    await store.shutdown()
    await showing.value
    // snippet.end
  }
}

@Suite("The example of README.md", .timeLimit(.minutes(1)))
struct ReadmeExampleTests {
  private struct Offline: Error {}

  @Test("It prints the outcome and the records, and ends by itself")
  func itLoads() async throws {
    let printed = Notes<String>()
    await ReadmeExample.run { printed.note("\($0)") }
    #expect(printed.all.contains("finished"))
    let last = ReadmeExample.Records.State(records: ["first", "second"])
    #expect(printed.all.last { $0 != "finished" } == "\(last)")
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
