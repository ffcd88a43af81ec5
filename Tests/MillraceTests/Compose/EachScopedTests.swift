import MillraceTesting
import Testing

@testable import Millrace

@Suite("Scoped, each child", .timeLimit(.minutes(1)))
struct EachScopedTests {
  let clock = TestClock()
  let incidents = Recorder<Incident>()
  let store: Store<Town>

  init() {
    var configuration = StoreConfiguration(clock: clock)
    configuration.report = incidents.record
    store = Store.town(configuration)
  }

  @Test("Each child decides on its own state and handles with it")
  func eachByItsID() async {
    store.send(.house(1, .commit("a")))
    let seen = Recorder<[String]>()
    let receipt = store.send(
      .house(
        1,
        ScriptedInteractor.Action.handle { run in
          run.emit("b")
          seen.record(try await run.state.log)
        }))
    #expect(await receipt.outcome.kind == .finished)
    #expect(seen.recorded == [["a", "b"]])
    #expect(
      await store.state.houses == [
        1: ScriptedInteractor.State(log: ["a", "b"]), 2: ScriptedInteractor.State(), 3: ScriptedInteractor.State(),
      ])
  }

  @Test("The commit that removes a child ends its runs as cancelled, in the same step, and those of no other child")
  func removalCancels() async throws {
    let (removed, left) = (Probe("a"), Probe("b"))
    let ended = store.send(.house(1, removed.action(.concurrent)))
    let goesOn = store.send(.house(2, left.action(.concurrent)))
    try await removed.waitForStart()
    try await left.waitForStart()
    #expect(await store.bound.runs == 2)
    // What is sent while the removal is reduced comes right after its step.
    store.send(
      .apply([
        .change("-1") { [store] state in
          state.houses[1] = nil
          store.send(.hall(.commit("next")))
        },
        .change("more") { _ in },
      ]))
    #expect(await ended.outcome.kind == .cancelled)
    #expect(await store.log == ["1 a begins", "2 b begins", "-1", "more", "1 a: cancelled", "hall next"])
    #expect(await store.bound.runs == 1)
    left.open()
    #expect(await goesOn.outcome.kind == .finished)
    #expect(await store.bound == (0, 0, false))
    removed.open()
  }

  @Test("The task of a removed child's handler is cancelled")
  func taskIsCancelled() async throws {
    let gate = Gate()
    let ends = Recorder<Bool>()
    store.send(
      .house(
        1,
        .handle { _ in
          do { try await gate.enter() } catch { ends.record(Task.isCancelled) }
        }))
    try await gate.waitForArrivals()
    store.send(.remove(1))
    #expect(try await ends.next())
  }

  @Test("R3: a late mutation of a removed child changes nothing, even when a child with its id was added again")
  func lateMutations() async throws {
    let (gate, answers) = (Gate(), Recorder<Bool>())
    let states = Recorder<[String]?>()
    let receipt = store.send(
      .house(
        1,
        ScriptedInteractor.Action.handle { run in
          run.emit("early")
          states.record(try await run.state.log)
          await gate.enterIgnoringCancellation()
          answers.record(run.emit("late"))
          states.record(try? await run.state.log)
        }.closed()))
    try await gate.waitForArrivals()
    store.send(.remove(1))
    #expect(await receipt.outcome.kind == .cancelled)
    gate.open()
    #expect(try await answers.next() == false)
    #expect(try await states.next(2) == [["early"], nil])
    store.send(.add(1))
    #expect(await store.state.houses[1] == ScriptedInteractor.State())
    #expect(await store.log == ["1 early", "-1", "1 closed: cancelled", "+1"])
  }

  @Test("A mutation of a missing child changes nothing")
  func reduceWithoutChild() {
    var state = Town.State()
    Town.reduce(into: &state, mutation: .house(7, "a"))
    Town.reduce(into: &state, mutation: .inn("a"))
    #expect(state.houses.isEmpty)
    #expect(state.inn == nil)
  }

  @Test("R2: an action for a missing child is rejected with a sentence, gets no closing, and is no incident")
  func missingChild() async {
    let actions: [ScriptedInteractor.Action] = [
      .commit("a").closed(), .commit("a").closed().planned(.serial(key: "k")),
      .commit("a").closed().planned(.shared(key: "k").timeout(.seconds(60))),
    ]
    for action in actions {
      guard case .rejected(.missingChild(let missing)) = await store.send(.house(8, action)).outcome else {
        Issue.record("the action was not rejected")
        continue
      }
      #expect(
        "\(missing)"
          == "MillraceTests.Town has no MillraceTests.ScriptedInteractor with the id 8; add the child before an action is sent to it, "
          + "and send it none once it is removed.")
      #expect(missing.id as? Int == 8)
    }
    store.send(.inn(isOpen: false))
    let inn = store.send(.inn(ScriptedInteractor.Action.commit("a").closed()))
    guard case .rejected(.missingChild(let missing)) = await inn.outcome else {
      Issue.record("the action was not rejected")
      return
    }
    #expect(missing.id == nil && !missing.description.contains("id"))
    #expect(await inn.firstCommit == nil)
    #expect(await store.metrics.rejections == [.missingChild: 4])
    #expect(incidents.recorded.isEmpty)
    #expect(await store.log == ["-inn"])
    #expect(await store.keyCount == 0)
  }

  @Test("R2: an action for a missing child of a child is rejected as that, whatever levels are between")
  func missingChildOfAChild() async {
    let country = Store(initial: Country.State(towns: ["a": Town.State()]), interactor: Country())
    #expect(await country.send(.town("a", .house(1, .commit("a")))).rejectionKind == .missingChild)
    #expect(await country.send(.capital(.inn(.commit("a")))).rejectionKind == .missingChild)
    #expect(await country.send(.town("b", .hall(.commit("a")))).rejectionKind == .missingChild)
  }

  @Test("An action that waits for its turn when its child is removed is never handled")
  func waitingForTheTurn() async throws {
    let (first, second) = (Probe("a"), Probe("b"))
    let one = store.send(.house(1, first.action(.serial(key: "k"))))
    let two = store.send(.house(1, second.action(.serial(key: "k"))))
    try await first.waitForStart()
    store.send(.remove(1))
    #expect(await one.outcome.kind == .cancelled)
    #expect(await two.rejectionKind == .missingChild)
    first.open()
    #expect(second.starts == 0)
    #expect(await store.bound == (0, 0, false))
  }

  @Test(
    "R9: an action that waits for a slot ends as cancelled with the commit that removes its child, and is not handled")
  func waitingForASlot() async throws {
    let store = Store.town(StoreConfiguration(limits: StoreConfiguration.Limits(runsInFlight: 1)))
    let (first, second) = (Probe("a"), Probe("b"))
    let one = store.send(.house(2, first.action(.concurrent)))
    let two = store.send(.house(1, second.action(.concurrent)))
    try await first.waitForStart()
    store.send(.remove(1))
    first.open()
    #expect(await one.outcome.kind == .finished)
    #expect(await two.outcome.kind == .cancelled)
    #expect(second.starts == 0)
    #expect(await store.log == ["2 a begins", "1 b begins", "-1", "1 b: cancelled", "2 a done"])
  }

  @Test(
    "A run that is bound while another thread has the turn is bound in its place, or ends there",
    arguments: [true, false])
  func boundBehindOthers(_ isRemoved: Bool) async throws {
    let (gate, latch, probe) = (Gate(), Latch(), Probe("a"))
    let receipt = store.send(
      .handle { town, state in
        .concatenate([
          Effect { _ in try await gate.enter() },
          await town.houses.handle(probe.action(.concurrent), of: 1, state: state),
        ])
      })
    try await gate.waitForArrivals()
    let thread = onThread { [store] in store.send(.apply([.change("block") { _ in latch.pass() }])) }
    try await latch.waitForArrival()
    if isRemoved { store.send(.remove(1)) }
    gate.open()
    probe.open()
    latch.open()
    #expect(await receipt.outcome.kind == (isRemoved ? .cancelled : .finished))
    #expect(probe.starts == (isRemoved ? 0 : 1))
    await thread.value
  }

  @Test(
    "A run whose plan has retries ends with its child: in an attempt, and while it rests", arguments: [true, false])
  func plannedRuns(_ isResting: Bool) async throws {
    let gate = Gate()
    let attempts = Recorder<Int>()
    let plan = Plan.serial(key: "k").retry(5, backoff: .constant(.seconds(1)), jitter: 0, afterCommits: true)
    let action = ScriptedInteractor.Action.handle { run in
      attempts.record(run.attempt)
      if isResting || run.attempt == 1 { throw Mishap() }
      await gate.enterIgnoringCancellation()
    }
    let receipt = store.send(.house(1, action.planned(plan)))
    #expect(try await attempts.next() == 1)
    try await clock.waitForSleepers(1)
    if !isResting {
      clock.advance(by: .seconds(1))
      try await gate.waitForArrivals()
    }
    #expect(await store.bound.runs == 1)
    store.send(.remove(1))
    #expect(await receipt.outcome.kind == .cancelled)
    #expect(await store.bound == (0, 0, false))
    gate.open()
    clock.advance(by: .seconds(60))
    await store.settle()
    #expect(attempts.recorded == (isResting ? [1] : [1, 2]))
  }

  @Test("All that share a run end with its child")
  func sharedRuns() async throws {
    let probe = Probe("a")
    let receipts = (0..<3).map { _ in store.send(.house(1, probe.action(.shared(key: "k")))) }
    try await probe.waitForStart()
    store.send(.remove(1))
    for receipt in receipts { #expect(await receipt.outcome.kind == .cancelled) }
    #expect(await store.log == ["1 a begins", "-1", "1 a: cancelled"])
    probe.open()
  }

  @Test("A run of two children ends with the first of them that goes")
  func runOfTwo() async throws {
    let probes = [Probe("a"), Probe("b")]
    let receipt = store.send(
      .handle { town, state in
        .merge([
          await town.houses.handle(probes[0].action(.concurrent), of: 1, state: state),
          await town.inn.handle(probes[1].action(.concurrent), state: state),
        ])
      })
    for probe in probes { try await probe.waitForStart() }
    store.send(.remove(2, 3))
    #expect(await store.metrics.inFlight == 1)
    store.send(.inn(isOpen: false))
    #expect(await receipt.outcome.kind == .cancelled)
    for probe in probes { probe.open() }
  }

  @Test("A run that removes its own child ends with it")
  func removesItself() async throws {
    let answers = Recorder<Bool>()
    let receipt = store.send(
      .handle { town, state in
        let leave = Effect<Town> { run in
          answers.record(run.emit(.change("-1") { $0.houses[1] = nil }))
          answers.record(run.emit(.change("late") { _ in }))
        }
        return .concatenate([await town.houses.handle(.handle { $0.emit("a") }, of: 1, state: state), leave])
      })
    #expect(await receipt.outcome.kind == .cancelled)
    #expect(try await answers.next(2) == [true, false])
    #expect(await store.log == ["1 a", "-1"])
  }

  @Test("A closing that removes another child ends that one's runs too, after those of the commit before")
  func chainOfRemovals() async throws {
    let store = Store(initial: Chain.State(), interactor: Chain())
    let receipts = [store.send(.house(1)), store.send(.house(2)), store.send(.house(3))]
    #expect(await store.bound.runs == 3)
    store.send(.remove(1))
    for receipt in receipts { #expect(await receipt.outcome.kind == .cancelled) }
    #expect(await store.state.log == [1, 2, 3])
    #expect(await store.bound == (0, 0, false))
  }

  @Test("The children of a child end with it, and by themselves", arguments: [true, false])
  func childrenOfChildren(_ isWhole: Bool) async throws {
    var town = Town.State()
    town.houses[1] = ScriptedInteractor.State()
    let store = Store(
      initial: Country.State(towns: ["A": town, "B": town], capital: town), interactor: Country())
    let probes = [Probe("a"), Probe("b"), Probe("c")]
    let receipts = [
      store.send(.town("A", .house(1, probes[0].action(.concurrent)))),
      store.send(.town("B", .house(1, probes[1].action(.concurrent)))),
      store.send(.capital(.house(1, probes[2].action(.concurrent)))),
    ]
    for probe in probes { try await probe.waitForStart() }
    store.send(isWhole ? .remove("A") : .town("A", .remove(1)))
    #expect(await receipts[0].outcome.kind == .cancelled)
    #expect(await store.metrics.inFlight == 2)
    store.send(.capital(.remove(1)))
    #expect(await receipts[2].outcome.kind == .cancelled)
    #expect(await store.metrics.inFlight == 1)
    for probe in probes { probe.open() }
    #expect(await receipts[1].outcome.kind == .finished)
    #expect(await store.bound == (0, 0, false))
    #expect(await store.send(.town("A", .house(1, .commit("a")))).rejectionKind == .missingChild)
  }

  @Test("Outside a store a child's effect runs on its part of the state, and throws where there is none")
  func alone() async throws {
    var state = Town.State()
    state.houses[1] = ScriptedInteractor.State()
    let town = Town()
    let action = ScriptedInteractor.Action.handle { run in
      run.emit("a")
      run.emit(ScriptedInteractor.Mutation("after \(try await run.state.log)"))
    }
    var names: [String] = []
    for try await mutation in await town.houses.handle(action, of: 1, state: state).mutations(state: state) {
      if case .house(1, let mutation) = mutation { names.append(mutation.name) }
    }
    #expect(names == ["a", "after [\"a\"]"])
    let missing = await town.houses.handle(action, of: 2, state: state).mutations(state: state)
    await #expect(throws: CancellationError.self) { for try await _ in missing {} }
  }
}

/// Children each of whose closing removes the next one; their runs last until they are cancelled.
private struct Chain: Interactor {
  struct State: Sendable {
    var houses: Set<Int> = [1, 2, 3]
    var log: [Int] = []
  }

  enum Action: Sendable {
    case house(Int)
    case remove(Int)
  }

  struct House: Interactor {
    func handle(_ action: Int, state: Int) async -> Effect<Self> {
      Effect { _ in try await Gate().enter() }
    }

    static func reduce(into state: inout Int, mutation: Int) {}
  }

  enum Place: EachScope {
    typealias Parent = Chain
    typealias Child = House

    static func state(of id: Int, in parent: State) -> Int? { parent.houses.contains(id) ? id : nil }
    static func mutation(_ mutation: Int, of id: Int) -> Int { mutation }
    static func update(_ id: Int, in parent: inout State, _ body: (inout Int) -> Void) {}
  }

  let houses = Scoped<Place>(House())

  func decide(_ action: Action, state: State) -> Decision<Int> {
    switch action {
    case .house: .handle
    case .remove(let id): .mutate(id)
    }
  }

  func handle(_ action: Action, state: State) async -> Effect<Self> {
    guard case .house(let id) = action else { return .none }
    return await houses.handle(id, of: id, state: state)
  }

  func closing(_ action: Action, outcome: Outcome) -> Int? {
    guard case .house(let id) = action, id < 3 else { return nil }
    return id + 1
  }

  static func reduce(into state: inout State, mutation: Int) {
    state.houses.remove(mutation)
    state.log.append(mutation)
  }
}
