import Millrace
import MillraceTesting
import Testing

/// The snippets of docs/coming-from-rx-and-combine.md about records, as they stand there.
enum RecordsSnippets {
  protocol RecordsGateway: Sendable {
    func records(after count: Int) async throws -> [String]
  }

  // snippet.Records
  struct Records: Interactor {
    struct State: Sendable, Equatable {
      var isLoading = false
      var records: [String] = []
      var failure: String?
    }

    enum Action: Sendable {
      case loadMore
    }

    enum Mutation: Sendable {
      case loading
      case loaded([String])
      case failed(String)
    }

    let gateway: any RecordsGateway

    func plan(for action: Action, state: State) -> Plan {
      .exclusive(key: "load")
    }

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      let count = state.records.count
      return Effect { run in
        run.emit(.loading)
        run.emit(.loaded(try await gateway.records(after: count)))
      }
    }

    func closing(_ action: Action, outcome: Outcome) -> Mutation? {
      .failed("\(outcome)")
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .loading:
        state.isLoading = true
        state.failure = nil
      case .loaded(let records):
        state.isLoading = false
        state.records += records
      case .failed(let reason):
        state.isLoading = false
        state.failure = reason
      }
    }
  }
  // snippet.end

  /// The same, whose handler returns the stream that it returned before.
  struct StreamedRecords: Interactor {
    typealias State = Records.State
    typealias Action = Records.Action
    typealias Mutation = Records.Mutation

    let gateway: any RecordsGateway

    // snippet.handle
    func handle(_ action: Action, state: State) async -> AsyncStream<Mutation> {
      let count = state.records.count
      return AsyncStream { continuation in
        let work = Task {
          continuation.yield(.loading)
          do {
            continuation.yield(.loaded(try await gateway.records(after: count)))
          } catch {
            continuation.yield(.failed("\(error)"))
          }
          continuation.finish()
        }
        continuation.onTermination = { _ in work.cancel() }
      }
    }
    // snippet.end

    static func reduce(into state: inout State, mutation: Mutation) {
      Records.reduce(into: &state, mutation: mutation)
    }
  }

  static func show(_ gateway: any RecordsGateway, _ show: (Records.State) -> Void) async {
    // snippet.feedback
    let store = Store(initial: Records.State(), interactor: Records(gateway: gateway))
    var state: Records.State
    repeat {
      _ = await store.send(.loadMore).outcome
      state = await store.state
      show(state)
    } while state.records.count < 4 && state.failure == nil
    // snippet.end
  }
}

@Suite("Records, coming from Rx and Combine", .timeLimit(.minutes(1)))
struct RecordsSnippetsTests {
  private typealias Records = RecordsSnippets.Records

  private struct Broken: Error, CustomStringConvertible {
    var description: String { "the line is dead" }
  }

  /// Two records a page; notes what it was asked for.
  private struct Pages: RecordsSnippets.RecordsGateway {
    let asked = Notes<Int>()
    var gate: Gate?
    var failsAfter = Int.max

    func records(after count: Int) async throws -> [String] {
      asked.note(count)
      try await gate?.enter()
      if count >= failsAfter { throw Broken() }
      return ["\(count + 1)", "\(count + 2)"]
    }
  }

  private func states<I: Interactor>(
    _ store: Store<I>, _ count: Int, after body: () async -> Void
  ) async throws -> [Records.State] where I.State == Records.State {
    var iterator = store.snapshots(.every()).makeAsyncIterator()
    await body()
    var states: [Records.State] = []
    for _ in 0..<count { states.append(try #require(await iterator.next()).state) }
    return states
  }

  @Test("Every state comes in order, and the next page is asked for after the records that the state has")
  func fedBack() async throws {
    let pages = Pages()
    let store = Store(initial: Records.State(), interactor: Records(gateway: pages))
    let seen = try await states(store, 5) {
      _ = await store.send(.loadMore).outcome
      _ = await store.send(.loadMore).outcome
    }
    #expect(
      seen == [
        Records.State(),
        Records.State(isLoading: true),
        Records.State(records: ["1", "2"]),
        Records.State(isLoading: true, records: ["1", "2"]),
        Records.State(records: ["1", "2", "3", "4"]),
      ])
    #expect(pages.asked.all == [0, 2])
  }

  @Test("A failure ends that run alone: it is closed, and the next action loads")
  func failure() async throws {
    let pages = Pages(failsAfter: 0)
    let store = Store(initial: Records.State(), interactor: Records(gateway: pages))
    let seen = try await states(store, 3) {
      #expect(await store.send(.loadMore).outcome.kind == .failed)
    }
    #expect(
      seen == [
        Records.State(), Records.State(isLoading: true), Records.State(failure: "failed: the line is dead"),
      ])
    #expect(await store.send(.loadMore).outcome.kind == .failed)
    #expect(pages.asked.all == [0, 0])
  }

  @Test("While it loads, a second action is rejected; once cancelled, nothing stays loading")
  func exclusive() async throws {
    let gate = Gate()
    let store = Store(initial: Records.State(), interactor: Records(gateway: Pages(gate: gate)))
    let first = store.send(.loadMore)
    try await gate.waitForArrivals(1)
    #expect(await store.send(.loadMore).outcome.rejectionKind == .exclusive)
    #expect(await store.state.isLoading)
    first.cancel()
    #expect(await first.outcome.kind == .cancelled)
    #expect(await store.state == Records.State(failure: "cancelled"))
  }

  @Test("A handler that returns an AsyncStream leads to the same states")
  func stream() async throws {
    let pages = Pages(failsAfter: 2)
    let store = Store(initial: Records.State(), interactor: RecordsSnippets.StreamedRecords(gateway: pages))
    let seen = try await states(store, 5) {
      #expect(await store.send(.loadMore).outcome.kind == .finished)
      #expect(await store.send(.loadMore).outcome.kind == .finished)
    }
    #expect(
      seen == [
        Records.State(),
        Records.State(isLoading: true),
        Records.State(records: ["1", "2"]),
        Records.State(isLoading: true, records: ["1", "2"]),
        Records.State(records: ["1", "2"], failure: "the line is dead"),
      ])
  }

  @Test("The next page is sent for when the outcome of the last one is there")
  func show() async {
    let pages = Pages()
    let shown = Notes<Records.State>()
    await RecordsSnippets.show(pages) { shown.note($0) }
    #expect(shown.all.map(\.records) == [["1", "2"], ["1", "2", "3", "4"]])
    #expect(pages.asked.all == [0, 2])
  }
}
