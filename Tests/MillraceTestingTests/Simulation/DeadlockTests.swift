import Millrace
import Testing

@testable import MillraceTesting

@Suite("Deadlock")
struct DeadlockTests {
  /// Handles by their keys, and waits for what it sends if it is told so.
  private struct Keys: Interactor {
    enum Action: Sendable { case outer(Int, inner: Int, waits: Bool), inner(Int) }

    let gate: Gate

    func plan(for action: Action, state: Int) -> Plan {
      switch action {
      case .outer(let key, _, _), .inner(let key): .serial(key: key)
      }
    }

    func handle(_ action: Action, state: Int) -> Effect<Self> {
      Effect { run in
        guard case .outer(_, let inner, let waits) = action else { return }
        await Task.yield()
        let receipt = run.send(.inner(inner))
        if waits { _ = await receipt.outcome } else { try await gate.enter() }
      }
    }

    static func reduce(into state: inout Int, mutation: Int) { state = mutation }
  }

  /// The first line of the failure of a world in which these actions are sent, without the seed.
  private func sentence(_ actions: [Keys.Action]) async throws -> String {
    let report = await Simulation.run(seeds: 0..<200, options: .init(reporting: false)) { world in
      let store = Store(initial: 0, interactor: Keys(gate: Gate()), configuration: world.configuration)
      let receipts = actions.map { store.send($0) }
      for receipt in receipts { _ = await receipt.outcome }
    }
    let failure = try #require(report.failures.first)
    #expect(failure.description.hasPrefix("Seed \(failure.plan.seed): \(failure.sentence).\n"))
    return failure.sentence
  }

  private let fix = """
    ; let all actions take their keys in one order, or let no handler wait for an action that needs a key which its own action has
    """

  @Test("An action that waits for another one with its own key is a deadlock")
  func own() async throws {
    let sentence = try await sentence([.outer(1, inner: 1, waits: true)])
    #expect(sentence == "deadlock, for #5@-1 waits for #9@-1, which waits for #5@-1\(fix)")
  }

  @Test("Actions that wait for each other's keys are one, and those that wait behind them are not named")
  func others() async throws {
    let sentence = try await sentence([
      .outer(1, inner: 2, waits: true), .outer(2, inner: 1, waits: true), .inner(1), .inner(3),
    ])
    #expect(sentence.hasPrefix("deadlock, for #") && sentence.split(separator: "waits for").count == 5, "\(sentence)")
  }

  @Test("An action that waits for a gate is none, though another one waits for its key")
  func gate() async throws {
    let sentence = try await sentence([.outer(1, inner: 1, waits: false), .inner(1)])
    #expect(sentence.hasPrefix("the body has not returned, and nothing is left that could continue; "))
  }

  /// Renders each page once, with the page that it includes.
  private actor Pages {
    private let includes: [String: String]
    private var rendered: [String: Task<String, Never>] = [:]

    init(includes: [String: String]) {
      self.includes = includes
    }

    func page(_ name: String) -> Task<String, Never> {
      if let task = rendered[name] { return task }
      let task = Task(name: name) {
        guard let other = includes[name] else { return name }
        return name + (await page(other).value)
      }
      rendered[name] = task
      return task
    }
  }

  /// The first line of the failure of a world, without the seed.
  private func sentence(_ body: @escaping Simulation.Body) async throws -> String {
    let report = await Simulation.run(seeds: 0..<20, options: .init(reporting: false), body)
    return try #require(report.failures.first).sentence
  }

  private let awaitFix = "; let no task await the value of a task that awaits its own, itself or through others"

  @Test("Tasks that await each other's values are one, and a task that awaits one of them is not named")
  func tasks() async throws {
    let sentence = try await sentence { _ in
      _ = await Pages(includes: ["a": "b", "b": "c", "c": "b"]).page("a").value
    }
    #expect(
      sentence
        == "deadlock, for task 3 (b) awaits the value of task 4 (c), which awaits the value of task 3 (b)\(awaitFix)")
  }

  @Test("A task that awaits its own value or result is one", arguments: [false, true])
  func ownValue(result: Bool) async throws {
    let sentence = try await sentence { _ in
      let own = Box<Task<Void, any Error>?>(nil)
      let task = Task(name: "own") {
        await Task.yield()
        if result { _ = await own.value?.result } else { try await own.value?.value }
      }
      own.value = task
      try await task.value
    }
    #expect(sentence == "deadlock, for task 2 (own) awaits the value of task 2 (own)\(awaitFix)")
  }

  @Test("Tasks whose values are awaited are none if one of them waits for a gate, or has ended")
  func openTasks() async throws {
    let sentence = try await sentence { _ in
      let gate = Gate()
      let pages = Pages(includes: ["a": "b"])
      let task = Task {
        _ = await pages.page("a").value
        try await gate.enter()
      }
      try await task.value
    }
    #expect(sentence.hasPrefix("the body has not returned, and nothing is left that could continue; "))
  }

  @Test("Runs that wait for the outcomes of actions of each other's stores are one")
  func stores() async throws {
    let report = await Simulation.run(seeds: 0..<200, options: .init(reporting: false)) { world in
      let stores = Box<[Store<Asking>]>([])
      for number in 0..<2 {
        stores.value.append(
          Store(
            initial: 0, interactor: Asking(clock: world.clock) { stores.value[1 - number] },
            configuration: world.configuration))
      }
      let receipts = stores.value.map { $0.send(.ask) }
      for receipt in receipts { _ = await receipt.outcome }
      stores.value = []
    }
    let sentence = try #require(report.failures.first).sentence
    #expect(sentence.hasPrefix("deadlock, for #5@-1 waits for #"), "\(sentence)")
    #expect(sentence.contains("@-2, which waits for ") && sentence.hasSuffix(fix))
  }

  /// Asks another store, one question at a time.
  private struct Asking: Interactor {
    enum Action: Sendable { case ask, answer }

    let clock: TestClock
    let other: @Sendable () -> Store<Asking>

    func plan(for action: Action, state: Int) -> Plan { .serial(key: "desk") }

    func handle(_ action: Action, state: Int) -> Effect<Self> {
      Effect { run in
        guard action == .ask else { return }
        try await clock.sleep(for: .seconds(1))
        _ = await other().send(.answer).outcome
      }
    }

    static func reduce(into state: inout Int, mutation: Int) { state = mutation }
  }
}
