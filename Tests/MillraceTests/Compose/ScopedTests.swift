import MillraceTesting
import Testing

@testable import Millrace

@Suite("Scoped", .timeLimit(.minutes(1)))
struct ScopedTests {
  let clock = TestClock()
  let store: Store<Town>

  init() {
    store = Store.town(StoreConfiguration(clock: clock))
  }

  /// The kind of scope through which a child sends its action.
  enum Place: CaseIterable {
    case scope
    case keyPath

    var name: String { self == .scope ? "hall" : "office" }

    func action(_ action: ScriptedInteractor.Action) -> Town.Action {
      self == .scope ? .hall(action) : .office(action)
    }

    func key(_ key: String) -> any Hashable & Sendable {
      self == .scope ? Town().hall.key(key) : Town().office.key(key)
    }
  }

  @Test("A child's decision is the parent's, with the parent's mutations", arguments: Place.allCases)
  func decisions(_ place: Place) {
    let table: [(Decision<ScriptedInteractor.Mutation>, Int, Bool, Bool)] = [
      (.ignore, 0, false, false), (.handle, 0, true, false), (.mutate("a"), 1, false, false),
      (.mutate("a", thenHandle: true), 1, true, false), (.mutate(["a", "b"]), 2, false, false),
      (.mutate(["a", "b"], thenHandle: true), 2, true, false), (.reject(Mishap()), 0, false, true),
    ]
    for (decision, mutations, handles, isRejected) in table {
      let decided = Town().decide(place.action(.decide { _ in decision }), state: Town.State())
      #expect(decided.mutations.count == mutations)
      #expect(decided.handles == handles)
      #expect((decided.rejection as? Mishap != nil) == isRejected)
    }
  }

  @Test(
    "A child decides on its own part of the state, and its mutations change that part alone", arguments: Place.allCases)
  func decideOnItsPart(_ place: Place) async {
    store.send(place.action(.commit("a")))
    store.send(place.action(.decide { .mutate(ScriptedInteractor.Mutation("after \($0.log)")) }))
    let state = await store.state
    #expect(state.log == ["\(place.name) a", "\(place.name) after [\"a\"]"])
    #expect((place == .scope ? state.hall : state.office).log == ["a", "after [\"a\"]"])
    #expect((place == .scope ? state.office : state.hall).log == [])
  }

  @Test("A child's run sees its part of the newest state, with all that it emitted before", arguments: Place.allCases)
  func stateOfTheChild(_ place: Place) async {
    let seen = Recorder<[String]>()
    let receipt = store.send(
      place.action(
        ScriptedInteractor.Action { _ in
          .mutate("begins", thenHandle: true)
        } handle: { run, state in
          seen.record(state.log)
          run.emit("emitted")
          seen.record(try await run.state.log)
        }))
    #expect(await receipt.outcome.kind == .finished)
    #expect(seen.recorded == [["begins"], ["begins", "emitted"]])
  }

  @Test("Id, attempt, idempotency key, clock and context of a child's run are those of the parent's")
  func environment() async {
    let facts = Recorder<[String]>()
    @Sendable func note<I>(_ run: Run<I>) {
      facts.record([
        "\(run.id)", "\(run.attempt)", run.idempotencyKey, "\(run.clock is TestClock)",
        "\(String(describing: run.context))",
      ])
    }
    let receipt = store.send(
      .handle { town, state in
        .concatenate([
          Effect { note($0) }, await town.hall.handle(.handle { note($0) }, state: state),
          await town.office.handle(.handle { note($0) }, state: state),
          await town.houses.handle(.handle { note($0) }, of: 1, state: state),
        ])
      })
    #expect(await receipt.outcome.kind == .finished)
    #expect(facts.recorded.count == 4)
    #expect(Set(facts.recorded).count == 1)
    #expect(facts.recorded.first?.first == "\(receipt.id)")
  }

  @Test("The time that remains to a child's run is that of the parent's", arguments: Place.allCases)
  func timeRemaining(_ place: Place) async {
    let seen = Recorder<Duration?>()
    let action = ScriptedInteractor.Action.handle { seen.record($0.timeRemaining) }
    for plan in [Plan.concurrent, .concurrent.timeout(.seconds(8)), .concurrent.attemptTimeout(.seconds(3))] {
      #expect(await store.send(place.action(action.planned(plan))).outcome.kind == .finished)
    }
    #expect(seen.recorded == [nil, .seconds(8), .seconds(3)])
  }

  @Test("A child sees the number of the attempt, and its error is the run's", arguments: Place.allCases)
  func attempts(_ place: Place) async {
    let attempts = Recorder<Int>()
    let action = ScriptedInteractor.Action.handle { run in
      attempts.record(run.attempt)
      if run.attempt < 3 { throw Mishap() }
    }
    let receipt = store.send(place.action(action.planned(.concurrent.retry(3, backoff: .none))))
    #expect(await receipt.outcome.kind == .finished)
    #expect(attempts.recorded == [1, 2, 3])
    guard case .failed(let error) = await store.send(place.action(.handle { _ in throw Mishap() })).outcome else {
      Issue.record("the child's error was lost")
      return
    }
    #expect(error is Mishap)
  }

  @Test("R2: a child's closing mutation closes the parent's action", arguments: Place.allCases)
  func closing(_ place: Place) async {
    let receipt = store.send(place.action(ScriptedInteractor.Action.handle { _ in throw Mishap() }.closed()))
    #expect(await receipt.outcome.kind == .failed)
    #expect(await store.log == ["\(place.name) closed: failed"])
  }

  @Test("The parent's effect has its mutations without a task when the child's has")
  func knownContents() async {
    let whole = Feed.Whole()
    func content(_ effect: Effect<Feed>) async -> String {
      switch await Scoped<Feed.Place>(Feed(effect: effect)).handle(0, state: whole.state).content {
      case .one(let mutation): "one \(mutation)"
      case .known(let mutations): "known \(mutations)"
      case .body: "body"
      case .notHandled: "not handled"
      }
    }
    #expect(await content(.just(1)) == "one -1")
    #expect(await content(.sequence([1, 2])) == "known [-1, -2]")
    #expect(await content(.none) == "known []")
    #expect(await content(Effect { _ in }) == "body")
    #expect(await content(Effect(content: .notHandled)) == "not handled")
  }

  @Test(
    "A child that returns another sequence is iterated, on its part of the newest state, and its error is the run's")
  func otherSequences() async {
    let store = Store(initial: Stream.Whole.State(), interactor: Stream.Whole())
    #expect(await store.send(2).outcome.kind == .finished)
    #expect(await store.state.numbers == [2, 1, 0])
    guard case .failed(let error) = await store.send(-1).outcome else {
      Issue.record("the child's error was lost")
      return
    }
    #expect(error is Mishap)
  }

  @Test("R4: equal keys of different children are different keys")
  func keysOfChildren() async throws {
    let probes = [Probe("a"), Probe("b"), Probe("c"), Probe("d")]
    let plan = Plan.serial(key: "k")
    let receipts = [
      store.send(.hall(probes[0].action(plan))), store.send(.office(probes[1].action(plan))),
      store.send(.house(1, probes[2].action(plan))), store.send(.house(2, probes[3].action(plan))),
    ]
    for probe in probes { try await probe.waitForStart() }
    #expect(await store.keyCount == 4)
    store.cancel(key: "k")
    #expect(await store.metrics.inFlight == 4)
    store.cancel(key: Town().houses.key("k", of: 2))
    #expect(await receipts[3].outcome.kind == .cancelled)
    store.cancel(key: Town().hall.key("k"))
    store.cancel(key: Town().office.key("k"))
    for receipt in receipts[0...1] { #expect(await receipt.outcome.kind == .cancelled) }
    #expect(await store.metrics.inFlight == 1)
    for probe in probes { probe.open() }
    #expect(await receipts[2].outcome.kind == .finished)
  }

  @Test("R4: equal keys of one child meet", arguments: Place.allCases)
  func keysOfOneChild(_ place: Place) async throws {
    let (first, second) = (Probe("a"), Probe("b"))
    let one = store.send(place.action(first.action(.exclusive(key: "k"))))
    try await first.waitForStart()
    #expect(await store.send(place.action(second.action(.exclusive(key: "k")))).rejectionKind == .exclusive)
    store.setLimit(0, key: place.key("turns"))
    let waiting = store.send(place.action(second.action(.serial(key: "turns"))))
    #expect(await store.metrics.waiting == 1)
    store.setLimit(nil, key: place.key("turns"))
    first.open()
    second.open()
    #expect(await one.outcome.kind == .finished)
    #expect(await waiting.outcome.kind == .finished)
    #expect(await store.keyCount == 0)
  }

  @Test("Keys of breakers and of retry budgets are the child's own, given or taken from the plan")
  func keysOfBreakers() async {
    let breaker = Plan.Breaker(failures: 1)
    for plan in [Plan.serial(key: "k").breaker(breaker), .concurrent.breaker(breaker, key: "k")] {
      let failing = ScriptedInteractor.Action.handle { _ in throw Mishap() }.planned(plan)
      let store = Store.town(StoreConfiguration(clock: clock))
      #expect(await store.send(.hall(failing)).outcome.kind == .failed)
      #expect(await store.send(.hall(failing)).rejectionKind == .breakerOpen)
      #expect(await store.send(.office(failing)).outcome.kind == .failed)
      #expect(await store.send(.house(1, failing)).outcome.kind == .failed)
      #expect(await store.send(.house(2, failing)).outcome.kind == .failed)
    }
    let attempts = Recorder<Int>()
    let repeating = ScriptedInteractor.Action.handle { run in
      attempts.record(run.attempt)
      throw Mishap()
    }.planned(
      .serial(key: "b").retry(2, backoff: .none, budget: Plan.RetryBudget(capacity: 1, refill: .seconds(60))))
    for action in [Town.Action.hall(repeating), .hall(repeating), .house(1, repeating)] {
      _ = await store.send(action).outcome
    }
    #expect(attempts.recorded == [1, 2, 1, 1, 2])
  }

  @Test("The keys of a child's child have both places before them")
  func nestedKeys() async throws {
    let country = Country()
    let store = Store(initial: Country.State(towns: ["A": Town.State(), "B": Town.State()]), interactor: country)
    let probes = [Probe("a"), Probe("b"), Probe("c")]
    let receipts = [
      store.send(.town("A", .hall(probes[0].action(.serial(key: "k"))))),
      store.send(.town("B", .hall(probes[1].action(.serial(key: "k"))))),
      store.send(.capital(.hall(probes[2].action(.serial(key: "k"))))),
    ]
    for probe in probes { try await probe.waitForStart() }
    store.cancel(key: Town().hall.key("k"))
    #expect(await store.metrics.inFlight == 3)
    store.cancel(key: country.towns.key(Town().hall.key("k"), of: "B"))
    #expect(await receipts[1].outcome.kind == .cancelled)
    #expect(await store.metrics.inFlight == 2)
    store.cancel(key: country.capital.key(Town().hall.key("k")))
    #expect(await receipts[2].outcome.kind == .cancelled)
    for probe in probes { probe.open() }
    #expect(await receipts[0].outcome.kind == .finished)
  }

  @Test("A plan without a key is passed on as it is, and one that is kept is not changed")
  func plansWithoutKeys() {
    let place = PlanKey("place")
    #expect(Plan.concurrent.within(place, { $0 }).terms == nil)
    let timed = Plan.concurrent.timeout(.seconds(1))
    #expect(timed.within(place, { $0 }).terms === timed.terms)
    let kept = Plan.serial(key: "k").breaker(key: "b")
    let scoped = kept.within(place, { $0 })
    #expect(kept.terms?.key == PlanKey("k"))
    #expect(kept.terms?.breakerKey == PlanKey("b"))
    #expect(scoped.terms?.key == PlanKey(ScopedKey(scope: place, key: PlanKey("k"))))
    #expect(scoped.terms?.breakerKey == PlanKey(ScopedKey(scope: place, key: PlanKey("b"))))
    #expect(Plan.serial(key: 1).within(PlanKey(Double.nan), { $0 }).terms?.problem == .key)
  }
}

/// A child whose effect is given, in a parent that stores what it gets with the sign changed.
private struct Feed: Interactor {
  struct Whole: Interactor {
    var state: [Int] { [] }
    func handle(_ action: Int, state: [Int]) async -> Effect<Self> { .none }
    static func reduce(into state: inout [Int], mutation: Int) { state.append(mutation) }
  }

  enum Place: Scope {
    static func state(of parent: [Int]) -> [Int] { parent }
    static func mutation(_ mutation: Int) -> Int { -mutation }
    typealias Parent = Whole
    typealias Child = Feed
  }

  let effect: Effect<Feed>

  func handle(_ action: Int, state: [Int]) async -> Effect<Self> { effect }
  static func reduce(into state: inout [Int], mutation: Int) { state.append(mutation) }
}

/// A child that returns a stream: its action, then counting down; it throws for negative ones.
private struct Stream: Interactor {
  struct Whole: Interactor {
    struct State: Sendable {
      var numbers: [Int] = []
    }

    let stream = Scoped<Place>(Stream())

    func handle(_ action: Int, state: State) async -> Effect<Self> { await stream.handle(action, state: state) }
    static func reduce(into state: inout State, mutation: Int) {
      Stream.reduce(into: &state.numbers, mutation: mutation)
    }
  }

  enum Place: Scope {
    static func state(of parent: Whole.State) -> [Int] { parent.numbers }
    static func mutation(_ mutation: Int) -> Int { mutation }
    typealias Parent = Whole
    typealias Child = Stream
  }

  func handle(_ action: Int, state: [Int]) async -> AsyncThrowingStream<Int, any Error> {
    AsyncThrowingStream { continuation in
      guard action >= 0 else { return continuation.finish(throwing: Mishap()) }
      for number in (0...action).reversed() { continuation.yield(number) }
      continuation.finish()
    }
  }

  static func reduce(into state: inout [Int], mutation: Int) { state.append(mutation) }
}
