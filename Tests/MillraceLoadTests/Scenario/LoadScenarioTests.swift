import Millrace
import MillraceTesting
import Testing

@testable import MillraceLoad

/// Runs in real time, or in simulated time where a test expects how long something takes.
@Suite("LoadScenario", .timeLimit(.minutes(1)))
struct LoadScenarioTests {
  private struct Refused: Error {}

  /// Counts, or waits for a gate first.
  private struct Counter: Interactor {
    enum Action: Sendable { case add, addLater, refuse }
    enum Mutation: Sendable { case added }
    var gate: Gate?

    func decide(_ action: Action, state: Int) -> Decision<Mutation> {
      switch action {
      case .add: .mutate(.added)
      case .addLater: .handle
      case .refuse: .reject(Refused())
      }
    }

    func handle(_ action: Action, state: Int) async -> Effect<Self> {
      Effect { run in
        try await gate?.enter()
        run.emit(.added)
      }
    }

    static func reduce(into state: inout Int, mutation: Mutation) { state += 1 }
  }

  private func options(_ mode: LoadOptions.Mode = .open(.constant(1_000)), drain: Duration = .seconds(30))
    -> LoadOptions
  {
    LoadOptions(mode, duration: .milliseconds(100), drain: drain)
  }

  @Test("Each virtual user has a store of its own, and its requests are actions")
  func stores() async throws {
    let stores = Lock<[Store<Counter>]>([])
    let scenario = LoadScenario("adds", users: 3) { _ in
      let store = Store(initial: 0, interactor: Counter())
      stores.withLock { $0.append(store) }
      return store
    } action: { request in
      request.number.isMultiple(of: 2) ? .add : .addLater
    }
    let report = try await scenario.run(options())
    #expect(report.counts.sent == 100 && report.counts.finished == 100)
    var states: [Int] = []
    for store in stores.withLock({ $0 }) { states.append(await store.state) }
    #expect(states == [34, 33, 33])
  }

  @Test("Rejected actions are no part of those that finished")
  func rejections() async throws {
    let scenario = LoadScenario("some are refused") { _ in
      Store(initial: 0, interactor: Counter())
    } action: { request in
      request.number.isMultiple(of: 4) ? .refuse : .add
    }
    let report = try await scenario.run(options())
    #expect(report.counts.rejected == 25 && report.counts.finished == 75 && report.counts.sent == 100)
    #expect(report.rejections == [.decided: 25])
    #expect(report.latency.histogram.count == 75)
  }

  @Test("Calls of a closure finish, fail and are cancelled")
  func closure() async throws {
    let scenario = LoadScenario("calls") { request in
      switch request.number % 4 {
      case 0: throw Refused()
      case 1: throw CancellationError()
      default: break
      }
    }
    let report = try await scenario.run(options())
    #expect(report.counts.failed == 25 && report.counts.cancelled == 25 && report.counts.finished == 50)
    #expect(report.errors == ["Refused()": 25])
  }

  @Test("Requests that have not ended after the drain count as in flight, and are cancelled")
  func drain() async throws {
    let cancelled = Recorder<Int>()
    let gate = Gate()
    let scenario = LoadScenario("hangs") { request in
      do { try await gate.enter() } catch { cancelled.record(request.number) }
    }
    let report = try await scenario.run(options(.open(.constant(100)), drain: .zero))
    let counts = report.counts
    #expect(counts.sent == 10 && counts.inFlight == 10 && counts.finished == 0)
    #expect(report.isLowerBound)
    _ = try await cancelled.next(10)
  }

  @Test("Actions that have not ended after the drain are in flight, and end with their store")
  func drainOfStores() async throws {
    let gate = Gate()
    let scenario = LoadScenario("hangs") { _ in
      Store(initial: 0, interactor: Counter(gate: gate))
    } action: { _ in
      .addLater
    }
    let counts = try await scenario.run(options(.open(.constant(100)), drain: .zero)).counts
    #expect(counts.sent == 10 && counts.inFlight == 10)
  }

  @Test("Each request of a mix goes to one part, by the weights, and the same for the same seed")
  func mix() async throws {
    func parts(seed: UInt64) async throws -> [String] {
      let recorder = Lock<[Int: String]>([:])
      let parts = ["often", "seldom", "never"].map { name in
        LoadScenario(name) { request in recorder.withLock { $0[request.number] = name } }
      }
      let mix = LoadScenario("mix", mixing: [(9, parts[0]), (1, parts[1]), (0, parts[2])])
      var options = options(.open(.constant(10_000)))
      options.seed = seed
      _ = try await mix.run(options)
      return recorder.withLock { recorded in (0..<1_000).map { recorded[$0] ?? "none" } }
    }
    let first = try await parts(seed: 1)
    #expect((60...140).contains(first.count { $0 == "seldom" }))
    #expect(first.count { $0 == "often" } + first.count { $0 == "seldom" } == 1_000)
    #expect(try await parts(seed: 1) == first)
    #expect(try await parts(seed: 2) != first)
  }

  @Test("Clients of a closed loop have one request under way each, and number them apart")
  func closedLoop() async throws {
    let open = Lock((now: 0, most: 0))
    let numbers = Recorder<Int>()
    let gate = Gate()
    let scenario = LoadScenario("calls", users: 2) { request in
      open.withLock { open in
        open.now += 1
        open.most = max(open.most, open.now)
      }
      numbers.record(request.number)
      await gate.enterIgnoringCancellation()
      open.withLock { $0.now -= 1 }
    }
    let task = Task {
      try await scenario.run(LoadOptions(.closed(concurrency: 5), duration: .seconds(3_600), drain: .seconds(30)))
    }
    try await gate.waitForArrivals(5)
    #expect(open.withLock { $0.now } == 5)
    gate.open()
    let sent = try await numbers.next(500)
    task.cancel()
    let report = try await task.value
    #expect(open.withLock { $0.most } == 5)
    #expect(Set(sent).count == sent.count)
    #expect(report.counts.sent == report.counts.finished + report.counts.inFlight && report.counts.sent >= sent.count)
    #expect(report.schedule == nil)
    #expect(report.latency == report.uncorrected)
  }

  @Test("A rate that is a multiple of the capacity is measured first")
  func capacity() async throws {
    let report = try await simulatedRun(of: .timesCapacity(0.5, concurrency: 2), service: .milliseconds(1)).get()
    // In 40 ms two clients begin 80 requests of 1 ms each, of which the last two end too late to be counted.
    #expect(report.capacity == 1_950)
    #expect(report.offeredRate == 975)
    #expect(report.counts.finished == 195)
  }

  @Test("A run whose rate is a multiple of the capacity cannot begin where no request ends while that is measured")
  func unknownCapacity() async throws {
    let result = await simulatedRun(of: .timesCapacity(0.5, concurrency: 2), service: .seconds(1))
    #expect(throws: LoadError.self) { try result.get() }
    guard case .failure(let error) = result else { return }
    #expect(
      "\(error)" == """
        The capacity of calls is unknown: with 2 clients no request finished within 0.04 seconds; give the run a longer duration, \
        or a rate in requests a second.
        """)
  }

  /// Runs a scenario for 200 ms of simulated time, whatever the machine does meanwhile.
  private func simulatedRun(of rate: LoadRate, service: Duration) async -> Result<LoadReport, any Error> {
    let result = Lock<Result<LoadReport, any Error>?>(nil)
    await Simulation.run(seed: 1, options: .init(maximumSteps: 1_000_000)) { world in
      let clock = world.clock
      let scenario = LoadScenario("calls", rate: rate) { _ in try await clock.sleep(for: service) }
      let options = LoadOptions(duration: .milliseconds(200), drain: .seconds(30), clock: clock)
      do {
        let report = try await scenario.run(options)
        result.withLock { $0 = .success(report) }
      } catch {
        result.withLock { $0 = .failure(error) }
      }
    }
    return result.withLock { $0 } ?? .failure(Refused())
  }

  @Test("A run that is cancelled ends early, and its report covers the time until then")
  func cancelled() async throws {
    let recorder = Recorder<Int>()
    let scenario = LoadScenario("calls") { recorder.record($0.number) }
    let task = Task { try await scenario.run(LoadOptions(.open(.constant(1_000)), duration: .seconds(3_600))) }
    _ = try await recorder.next(3)
    task.cancel()
    let report = try await task.value
    #expect(report.isCut && report.elapsed < .seconds(3_600))
    #expect(report.counts.sent >= 3)
    #expect(report.counts.sent == report.counts.finished + report.counts.inFlight)
  }

  @Test("A user that cannot be made ends the run, and those made before are closed")
  func noUser() async throws {
    let first = Lock<Store<Counter>?>(nil)
    let scenario = LoadScenario("adds", users: 2) { user in
      guard user == 0 else { throw Refused() }
      let store = Store(initial: 0, interactor: Counter())
      first.withLock { $0 = store }
      return store
    } action: { _ in
      .add
    }
    await #expect(throws: Refused.self) { try await scenario.run(options()) }
    let store = try #require(first.withLock { $0 })
    #expect(await store.send(.add).outcome.rejectionKind == .shuttingDown)
  }

  @Test("The latency of a run is judged by ratios")
  func ratios() async throws {
    let scenario = LoadScenario("calls") { _ in }
    let report = try await scenario.run(options())
    let (median, p99) = (try #require(report.latency.p50), try #require(report.latency.p99))
    #expect(median <= p99 && p99 <= median * 1_000_000)
  }
}
