import Millrace
import MillraceReconcile
import MillraceTesting
import Testing

/// The snippets of docs/reconciling.md, as they stand there.
enum ReconcilingSnippets {
  protocol Display: Sendable {
    func open(_ page: String, at position: Int) async throws
    func replace(_ position: Int, with page: String) async throws
    func close(_ position: Int) async throws
  }

  protocol Broker: Sendable {
    func subscribe(_ topic: String) async throws
    func unsubscribe(_ topic: String) async throws
  }

  struct Kiosk: Interactor {
    struct State: Sendable {
      var route: ReconciledPath<String> = []
      var topics: [String] = []
      var problem: String?
    }

    enum Action: Sendable {
      case show([String])
      case follow([String])
      case stuck(String)
    }

    func decide(_ action: Action, state: State) -> Decision<Action> { .mutate(action) }

    func handle(_ action: Action, state: State) async -> Effect<Self> { .none }

    static func reduce(into state: inout State, mutation: Action) {
      switch mutation {
      case .show(let pages): state.route = ReconciledPath(pages)
      case .follow(let topics): state.topics = topics
      case .stuck(let problem): state.problem = problem
      }
    }
  }

  static func route(_ store: Store<Kiosk>, _ display: any Display, clock: any Clock<Duration>) async throws {
    // snippet.reconciling
    let router = Reconciler<ReconciledPath<String>>(
      initial: [], timeout: .seconds(3), attempts: 3, clock: clock,
      report: { report in
        if case .gaveUp = report { store.send(.stuck("\(report)")) }
      },
      perform: { operation in
        switch operation {
        case .pop(_, let position): try await display.close(position)
        case .change(let position, _, let page): try await display.replace(position, with: page)
        case .push(let page, let position): try await display.open(page, at: position)
        }
      })
    try await router.run(following: store.values(of: \.route))
    // snippet.end
  }

  static func topics(_ store: Store<Kiosk>, _ broker: any Broker) async throws {
    // snippet.reconciling-remove
    let subscriptions = Reconciler<ReconciledSet<String>>(initial: []) { operation in
      switch operation {
      case .remove(let topic): try await broker.unsubscribe(topic)
      case .add(let topic): try await broker.subscribe(topic)
      }
    }
    try await subscriptions.run(following: store.values { ReconciledSet($0.topics) })
    // snippet.end
  }

  static func tree() -> [ReconciledTree<String, Int>.Operation] {
    // snippet.desired
    let running: ReconciledTree = ["web": .init(1, ["log": .init(1)])]
    let desired: ReconciledTree = ["web": .init(2), "db": .init(1)]
    return running.operations(toward: desired)
    // snippet.end
  }
}

@Suite("Reconciling", .timeLimit(.minutes(1)))
struct ReconcilingSnippetsTests {
  private typealias Kiosk = ReconcilingSnippets.Kiosk

  private struct FakeDisplay: ReconcilingSnippets.Display {
    let log = Recorder<String>()

    func open(_ page: String, at position: Int) async throws {
      log.record("open \(page) at \(position)")
      if page == "broken" { throw Mishap() }
    }

    func replace(_ position: Int, with page: String) async throws {
      log.record("replace \(position) with \(page)")
    }

    func close(_ position: Int) async throws {
      log.record("close \(position)")
    }
  }

  private struct FakeBroker: ReconcilingSnippets.Broker {
    let log = Recorder<String>()

    func subscribe(_ topic: String) async throws {
      log.record("subscribe \(topic)")
    }

    func unsubscribe(_ topic: String) async throws {
      log.record("unsubscribe \(topic)")
    }
  }

  /// A clock on which a second and more never goes by, and less is over at once: no timeouts, and no rests.
  private struct RestlessClock: Clock {
    let clock = TestClock()

    var now: TestClock.Instant { clock.now }

    var minimumResolution: Duration { clock.minimumResolution }

    func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
      if now.duration(to: deadline) >= .seconds(1) { try await clock.sleep(until: deadline) }
    }
  }

  @Test("The route in the state becomes what the display shows")
  func route() async throws {
    let store = Store(initial: Kiosk.State(), interactor: Kiosk())
    let display = FakeDisplay()
    let run = Task { try await ReconcilingSnippets.route(store, display, clock: TestClock()) }
    store.send(.show(["home", "list", "item"]))
    #expect(try await display.log.next(3) == ["open home at 0", "open list at 1", "open item at 2"])
    store.send(.show(["home", "search", "result"]))
    #expect(try await display.log.next(3) == ["close 2", "replace 1 with search", "open result at 2"])
    _ = await store.shutdown()
    try await run.value
  }

  @Test("A page that cannot be opened is tried three times, and then told to the store")
  func givenUp() async throws {
    let store = Store(initial: Kiosk.State(), interactor: Kiosk())
    let display = FakeDisplay()
    let run = Task { try await ReconcilingSnippets.route(store, display, clock: RestlessClock()) }
    store.send(.show(["broken"]))
    #expect(try await display.log.next(3) == Array(repeating: "open broken at 0", count: 3))
    let state = try await store.wait { $0.problem != nil }
    #expect(
      state.problem
        == "push(\"broken\", at: 0) was given up after 3 attempts; desire something else, or make another run: a mishap"
    )
    _ = await store.shutdown()
    try await run.value
  }

  @Test("The topics in the state become subscriptions")
  func topics() async throws {
    let store = Store(initial: Kiosk.State(topics: ["b", "a"]), interactor: Kiosk())
    let broker = FakeBroker()
    let run = Task { try await ReconcilingSnippets.topics(store, broker) }
    #expect(try await broker.log.next(2) == ["subscribe a", "subscribe b"])
    store.send(.follow(["c", "b"]))
    #expect(try await broker.log.next(2) == ["unsubscribe a", "subscribe c"])
    run.cancel()
    try await run.value
  }

  @Test("A tree goes from the leaves up, and comes from the parents down")
  func tree() {
    #expect(
      ReconcilingSnippets.tree() == [
        .remove(1, at: ["web", "log"]), .update(at: ["web"], from: 1, to: 2), .add(1, at: ["db"]),
      ])
  }
}
