import Millrace
import Testing

@testable import MillraceTesting

@Suite("UnimplementedClock of a store", .timeLimit(.minutes(1)))
struct StoreWithoutTimeTests {
  struct Working: Interactor {
    enum Action: Sendable {
      case plain
      case serial
      case latest
      case limited
      case timed
      case debounced
      case lookAtTime
    }

    let gate: Gate

    func plan(for action: Action, state: Int) -> Plan {
      switch action {
      case .plain, .lookAtTime: .concurrent
      case .serial: .serial(key: "serial")
      case .latest: .latest(key: "latest")
      case .limited: .concurrent.limited(to: 1, key: "limit")
      case .timed: .concurrent.timeout(.seconds(1))
      case .debounced: .latest(key: "pause").debounce(.seconds(1))
      }
    }

    func handle(_ action: Action, state: Int) async -> Effect<Self> {
      Effect { run in
        if case .lookAtTime = action { Self.look(at: run.clock) }
        try await gate.enter()
        run.emit(1)
      }
    }

    private static func look(at clock: some Clock<Duration>) { _ = clock.now }

    func closing(_ action: Action, outcome: Outcome) -> Int? { 0 }

    static func reduce(into state: inout Int, mutation: Int) { state += mutation }
  }

  let failures = Failures()
  let gate = Gate()

  private func store() -> Store<Working> {
    failures.collect {
      Store(
        initial: 0, interactor: Working(gate: gate),
        configuration: StoreConfiguration(clock: UnimplementedClock(line: 7)))
    }
  }

  @Test("A store whose actions wait, are cancelled and end, is no failure, nor are its metrics and its shutdown")
  func noTime() async throws {
    let store = store()
    let actions: [Working.Action] = [.plain, .serial, .serial, .latest, .latest, .limited, .limited]
    let receipts = actions.map { store.send($0) }
    try await gate.waitForArrivals(5)
    receipts[0].cancel()
    gate.open()
    for receipt in receipts { _ = await receipt.outcome }
    #expect(await store.state == 5)
    #expect(await store.metrics.waitTime.count > 0)
    await store.shutdown()
    #expect(failures.messages == [])
  }

  @Test(
    "A plan that needs a timer is a failure by the time that send returns",
    arguments: [Working.Action.timed, .debounced])
  func timers(_ action: Working.Action) async {
    let store = store()
    store.send(action)
    #expect(failures.messages.map { $0.prefix(36) } == ["UnimplementedClock.sleep(until:) was"])
    #expect(failures.lines == [7])
    await store.shutdown()
  }

  @Test("A handler that looks at the time of its run is a failure")
  func lookAtTime() async {
    let store = store()
    store.send(.lookAtTime)
    #expect(failures.messages.map { $0.prefix(26) } == ["UnimplementedClock.now was"])
    await store.shutdown()
  }

  @Test("A shutdown that drains is a failure")
  func drain() async throws {
    let store = store()
    store.send(.plain)
    try await gate.waitForArrivals()
    await store.shutdown(drainFor: .seconds(1))
    #expect(failures.messages.map { $0.prefix(36) } == ["UnimplementedClock.sleep(until:) was"])
  }
}
