import Millrace
import Testing

@testable import MillraceTesting

/// The snippets of docs/simulation.md, as they stand there.
@Suite("SimulationSnippets")
struct SimulationSnippets {
  // snippet.Records
  struct Records: Interactor {
    enum Action: Sendable { case search(String) }
    enum Mutation: Sendable { case searching(String), found(String) }

    struct State: Sendable {
      var query = ""
      var found = ""
      var isSearching = false
    }

    let plan: Plan
    let search: @Sendable (String) async throws -> String

    func plan(for action: Action, state: State) -> Plan { plan }

    func decide(_ action: Action, state: State) -> Decision<Mutation> {
      switch action {
      case .search(let query): .mutate(.searching(query), thenHandle: true)
      }
    }

    func handle(_ action: Action, state: State) async -> AsyncThrowingStream<Mutation, any Error> {
      AsyncThrowingStream { continuation in
        let task = Task {
          guard case .search(let query) = action else { return }
          do {
            continuation.yield(.found(try await search(query)))
            continuation.finish()
          } catch {
            continuation.finish(throwing: error)
          }
        }
        continuation.onTermination = { _ in task.cancel() }
      }
    }

    static func reduce(into state: inout State, mutation: Mutation) {
      switch mutation {
      case .searching(let query): (state.query, state.isSearching) = (query, true)
      case .found(let answer): (state.found, state.isSearching) = (answer, false)
      }
    }
  }
  // snippet.end

  // snippet.search
  static func search(_ plan: Plan, in world: World) async {
    let store = Store(
      initial: Records.State(),
      interactor: Records(plan: plan) { query in
        try await world.clock.sleep(for: world.duration(in: .zero ... .milliseconds(50)))
        return "answer to \(query)"
      },
      configuration: world.configuration)
    world.atTheEnd("the answer is that of the last query", of: store) { $0.found.hasSuffix($0.query) }
    for query in world.actions(4, from: ["a", "b", "c"]) {
      try? await world.clock.sleep(for: .milliseconds(10))
      store.send(.search(query))
    }
    _ = try? await store.wait { !$0.isSearching }
  }
  // snippet.end

  @Test("A first simulation")
  func first() async {
    // snippet.first-simulation
    await Simulation.run(seeds: 0..<1_000) { await Self.search(.latest(key: "search"), in: $0) }
    // snippet.end
  }

  @Test("Every interleaving of something small")
  func explore() async {
    // snippet.explore
    await Simulation.explore(preemptions: 2) { await Self.search(.latest(key: "search"), in: $0) }
    // snippet.end
  }

  @Test("The failure that is shown")
  func failure() async throws {
    let failures = Recorder<Failure>()
    let report = await FailureReporter.$collector.withValue(FailureCollector { failures.record($0) }) {
      await Simulation.run(seeds: 0..<1_000) { await Self.search(.concurrent, in: $0) }
    }
    #expect(report.failingPlan != nil)
    let message = try #require(failures.recorded.first?.message)
    let lines = message.split(separator: "\n").filter { !$0.contains("SWIFT_DETERMINISTIC_HASHING") }
    #expect(
      lines.joined(separator: "\n") == """
        Seed 0: this does not hold at the end: the answer is that of the last query.
        It happened after 14 steps, at 0.0465963077545166 seconds of the world's time, in world 1 of this simulation, by uniform choice.
        To run it again: Simulation.run(seed: 0)
        As small as it was made (actions: 2, draws: 2, scheduling decisions: 0):
          Simulation.run(plan: "0 actions 2,3 draws 1.1.1.0=1039152,1.2.1.0=859682 steps none")
          fails after 8 steps, at 0.059550628662109376 seconds of the world's time.
        The nearest plan that passes: task 3 draws the least there is, not the duration 0.049550628662109374 seconds.
          Simulation.run(plan: "0 actions 2,3 draws 1.2.1.0=859682 steps none")
        Its events, with the time of the world:
          0.0 seconds:
            the body: chooses the action "a"
            the body: chooses the action "c"
            the body: sleeps until 0.01 seconds
            the time moves to 0.01 seconds
          0.01 seconds:
            the body: #5@-1 search("a") is accepted by Records
            the body: #5@-1 search("a") commits searching("a")
                query: "" → "a"
                isSearching: false → true
            task 2: the handler of Records for search("a") begins
            the body: sleeps until 0.02 seconds
            task 3: draws the duration 0.049550628662109374 seconds
            task 3: sleeps until 0.059550628662109376 seconds
            the time moves to 0.02 seconds
          0.02 seconds:
            the body: #9@-1 search("c") is accepted by Records
            the body: #9@-1 search("c") commits searching("c")
                query: "a" → "c"
            task 4: the handler of Records for search("c") begins
            task 5: draws the duration 0.04099283218383789 seconds
            task 5: sleeps until 0.060992832183837886 seconds
            the time moves to 0.059550628662109376 seconds
          0.059550628662109376 seconds:
            task 2: #5@-1 search("a") commits found("answer to a")
                found: "" → "answer to a"
                isSearching: true → false
            task 2: #5@-1 search("a") ends: finished
        These have not ended:
          #9@-1 search("c") has ended, and its handler has not returned
        The state that broke the rule:
          query: "c"
          found: "answer to a"
          isSearching: false
        """)
  }

  // snippet.Account
  actor Account {
    private(set) var balance = 0

    func set(_ balance: Int) { self.balance = balance }
  }
  // snippet.end

  // snippet.deposits
  static func deposits(in world: World) async {
    let account = Account()
    await withTaskGroup { group in
      for name in ["salary", "refund"] {
        group.addTask(name: name) {
          let balance = await account.balance
          world.note("has read \(balance)")
          await account.set(balance + 1)
          world.note("has written \(balance + 1)")
        }
      }
    }
    let balance = await account.balance
    world.expect(balance == 2, "no deposit is lost", showing: balance)
  }
  // snippet.end

  @Test("The values of a lost update")
  func values() async throws {
    let failures = Recorder<Failure>()
    await FailureReporter.$collector.withValue(FailureCollector { failures.record($0) }) {
      await Simulation.run(seeds: 0..<1_000) { await Self.deposits(in: $0) }
    }
    let message = try #require(failures.recorded.first?.message)
    let lines = message.split(separator: "\n").filter { !$0.contains("SWIFT_DETERMINISTIC_HASHING") }
    #expect(
      lines.joined(separator: "\n") == """
        Seed 0: this does not hold: no deposit is lost.
        It happened after 9 steps, at 0.0 seconds of the world's time, in world 1 of this simulation, by uniform choice.
        To run it again: Simulation.run(seed: 0)
        As small as it was made (actions: 0, draws: 0, scheduling decisions: 0):
          Simulation.run(plan: "0 actions none draws none steps none")
          fails after 9 steps, at 0.0 seconds of the world's time.
        The nearest plan that passes: in step 2 task 2 (salary) continues, not task 3 (refund).
          Simulation.run(plan: "0 actions none draws none steps 1.2.0=1")
        Its events, with the time of the world:
          0.0 seconds:
            task 2 (salary): continues in step 1; ready too: task 3 (refund)
            task 3 (refund): continues in step 2; ready too: task 2 (salary)
            task 2 (salary): continues in step 3; ready too: task 3 (refund)
            task 2 (salary): notes: has read 0
            task 3 (refund): continues in step 4; ready too: task 2 (salary)
            task 3 (refund): notes: has read 0
            task 2 (salary): continues in step 5; ready too: task 3 (refund)
            task 2 (salary): notes: has written 1
            task 3 (refund): continues in step 6; ready too: the body
            task 3 (refund): notes: has written 1
        The state that broke the rule:
          1
        """)
  }

  // snippet.trait
  @Test("The answer is that of the last query, as a test in worlds", .simulated(seeds: 0..<100))
  func searchInWorlds() async throws {
    await Self.search(.latest(key: "search"), in: try #require(World.current))
  }
  // snippet.end
}
