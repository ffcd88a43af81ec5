import MillraceTesting
import Testing

@testable import Millrace

@Suite("Sleeps and waits of a handler", .timeLimit(.minutes(1)))
struct RestTests {
  typealias Action = ScriptedInteractor.Action

  let clock = TestClock()
  let store: Store<ScriptedInteractor>

  init() {
    var configuration = StoreConfiguration(clock: clock)
    configuration.report = { _ in }
    store = Store(configuration)
  }

  @Test("T6: without a journal a sleep is one on the store's clock, and a negative one is over at once")
  func sleep() async throws {
    let receipt = store.send(
      .handle { run in
        try await run.sleep("none", for: .zero)
        try await run.sleep("negative", for: .seconds(-5))
        try await run.sleep("day", for: .seconds(86_400))
        run.emit("awake")
      })
    try await clock.waitForSleepers()
    #expect(clock.deadlines.map(\.offset) == [.seconds(86_400)])
    clock.advance(by: .seconds(86_400))
    #expect(await receipt.outcome.kind == .finished)
    #expect(await store.log == ["awake"])
  }

  @Test("A wait returns the value that the state has when it is reached, or the first one that observers would see")
  func wait() async throws {
    let reached = Gate()
    let receipt = store.send(
      .handle { run in
        #expect(try await run.wait("now") { $0.log.count } == 0)
        let value = try await run.wait("later") { state -> String? in
          reached.open()
          return state.log.first { $0.hasPrefix("value") }
        }
        run.emit(ScriptedInteractor.Mutation("got \(value)"))
      })
    try await reached.enter()
    store.send(.commit("other"))
    store.send(.commit("value 1"))
    #expect(await receipt.outcome.kind == .finished)
    #expect(await store.log == ["other", "value 1", "got value 1"])
  }

  @Test("T4: a wait whose timeout is over throws a failure, and a value in time comes before that")
  func timeout() async throws {
    let receipt = store.send(
      .handle { run in
        do {
          _ = try await run.wait("never", timeout: .seconds(60)) { $0.log.first { $0 == "never" } }
        } catch let failure as StepFailure {
          run.emit(ScriptedInteractor.Mutation(failure.description))
          #expect(failure.isTimeout)
        }
        let value = try await run.wait("value", timeout: .seconds(60)) { $0.log.first { $0 == "value" } }
        run.emit(ScriptedInteractor.Mutation("got \(value)"))
      })
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(60))
    try await clock.waitForSleepers()
    store.send(.commit("value"))
    #expect(await receipt.outcome.kind == .finished)
    #expect(
      await store.log == [
        #"The wait "never" saw no state with a value within its timeout of 60.0 seconds; raise it, or catch this error."#,
        "value",
        "got value",
      ])
    #expect(clock.sleepers == 0)
  }

  @Test("A wait ends with its run, and with its store", arguments: [true, false])
  func ends(cancels: Bool) async throws {
    let (reached, ended) = (Gate(), Recorder<Bool>())
    let receipt = store.send(
      .handle { run in
        do {
          _ = try await run.wait("never") { state -> Int? in
            reached.open()
            return nil
          }
        } catch {
          ended.record(error is CancellationError)
          throw error
        }
      })
    try await reached.enter()
    if cancels { receipt.cancel() } else { await store.shutdown(drainFor: .zero) }
    #expect(try await ended.next())
    #expect(await receipt.outcome.kind == (cancels ? .cancelled : .shutDown))
  }

  @Test("T3: steps of a child are steps of its run, in its part of the state; a wait ends when the child is removed")
  func child() async throws {
    let (reached, ended) = (Gate(), Recorder<String>())
    let house = Store(
      initial: Counters.State(),
      interactor: Counters { run in
        let doubled = try await run.step("double", commit: { [$0] }) { _ in 2 }
        run.emit(doubled, once: "again")
        ended.record("count \(try await run.wait("count") { $0 > 3 ? $0 : nil })")
        do {
          _ = try await run.wait("never") { count -> Int? in
            reached.open()
            return count > 1_000 ? count : nil
          }
        } catch {
          ended.record("\(error is CancellationError)")
        }
      })
    house.send(.enter(1))
    house.send(.enter(2))
    let receipt = house.send(.room(1, .look))
    try await reached.enter()
    house.send(.enter(2_000))
    #expect(await house.state.rooms == [1: 4, 2: 0, 2_000: 0])
    house.send(.leave(1))
    #expect(await receipt.outcome.kind == .cancelled)
    #expect(try await ended.next() == "count 4")
    #expect(try await ended.next() == "true")
  }

  @Test(
    "T3: two children of one run that use a name twice get the error whose sentence says to put the child's id into it")
  func children() async {
    let effect = Effect<ScriptedInteractor> { run in try await run.step("a") { _ in } }
    let outcome = await store.send(
      .handle { run in
        for _ in 1...2 { try await effect.mapMutations { $0 }.perform(in: run) }
      }
    ).outcome
    guard case .failed(let error as StepError) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(error.code == .duplicate && error.description.contains("or of its child"))
  }
}

/// Counters that come and go.
private struct Counters: Interactor {
  struct State: Sendable { var rooms: [Int: Int] = [:] }

  enum Action: Sendable {
    case enter(Int)
    case room(Int, Counter.Action)
    case leave(Int)
  }

  enum Mutation: Sendable {
    case entered(Int)
    case room(Int, Int)
    case left(Int)
  }

  private let rooms: Scoped<CountScope>

  init(_ handling: @escaping @Sendable (Run<Counter>) async throws -> Void) {
    rooms = Scoped(Counter(handling: handling))
  }

  func decide(_ action: Action, state: State) -> Decision<Mutation> {
    switch action {
    case .enter(let id): .mutate(.entered(id))
    case .leave(let id): .mutate(.left(id))
    case .room(let id, let action): rooms.decide(action, of: id, state: state)
    }
  }

  func handle(_ action: Action, state: State) async -> Effect<Self> {
    guard case .room(let id, let action) = action else { return .none }
    return await rooms.handle(action, of: id, state: state)
  }

  static func reduce(into state: inout State, mutation: Mutation) {
    switch mutation {
    case .entered(let id): state.rooms[id] = 0
    case .left(let id): state.rooms[id] = nil
    case .room(let id, let mutation): CountScope.reduce(into: &state, id: id, mutation: mutation)
    }
  }
}

private struct Counter: Interactor {
  enum Action: Sendable { case look }

  let handling: @Sendable (Run<Counter>) async throws -> Void

  func handle(_ action: Action, state: Int) async -> Effect<Self> { Effect(handling) }

  static func reduce(into state: inout Int, mutation: Int) { state += mutation }
}

private enum CountScope: EachScope {
  typealias Parent = Counters
  typealias Child = Counter

  static func state(of id: Int, in parent: Counters.State) -> Int? { parent.rooms[id] }
  static func mutation(_ mutation: Int, of id: Int) -> Counters.Mutation { .room(id, mutation) }
  static func update(_ id: Int, in parent: inout Counters.State, _ body: (inout Int) -> Void) {
    guard let index = parent.rooms.index(forKey: id) else { return }
    body(&parent.rooms.values[index])
  }
}
