import Millrace
import MillraceTesting
import Testing

/// The snippets of docs/backpressure.md, as they stand there.
enum BackpressureSnippets {
  struct Feed: Interactor {
    struct State: Sendable, Equatable {
      var lines = 0
    }

    enum Action: Sendable {
      case line(String)
    }

    func handle(_ action: Action, state: State) async -> Effect<Self> {
      .just(1)
    }

    static func reduce(into state: inout State, mutation: Int) {
      state.lines += mutation
    }
  }

  static func make() -> Store<Feed> {
    // snippet.backpressure
    let limits = StoreConfiguration.Limits(runsInFlight: 64, actionsWaiting: 1_000, onOverflow: .dropOldest)
    let store = Store(initial: Feed.State(), interactor: Feed(), configuration: StoreConfiguration(limits: limits))
    // snippet.end
    return store
  }

  static func feed(_ store: Store<Feed>, _ lines: AsyncStream<String>) async throws {
    // snippet.send-or-submit
    for try await line in lines {
      try await store.submit(.line(line))
    }
    // snippet.end
  }
}

@Suite("Backpressure", .timeLimit(.minutes(1)))
struct BackpressureSnippetsTests {
  @Test("A1: The defaults are those of the page")
  func defaults() {
    #expect(StoreConfiguration.Limits() == .standard)
    #expect(StoreConfiguration.Limits.standard.runsInFlight == 4_096)
    #expect(StoreConfiguration.Limits.standard.actionsWaiting == 16_384)
    #expect(StoreConfiguration.Limits.standard.queuedActions == 65_536)
    #expect(StoreConfiguration.Limits.standard.onOverflow == .reject)
  }

  @Test("Lines are submitted as fast as they are handled")
  func feed() async throws {
    let store = BackpressureSnippets.make()
    let (lines, continuation) = AsyncStream<String>.makeStream()
    for number in 1...100 { continuation.yield("\(number)") }
    continuation.finish()
    try await BackpressureSnippets.feed(store, lines)
    try await store.wait(until: { $0.lines == 100 })
  }
}
