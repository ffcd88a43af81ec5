import MillraceTesting
import Testing

@testable import Millrace

/// A run belongs to the child that its action was accepted for, and to no later child in the same place.
@Suite("The life of a child", .timeLimit(.minutes(1)))
struct ChildLifeTests {
  typealias Action = ScriptedInteractor.Action

  let clock = TestClock()

  private func town(_ limit: Int? = nil, slots: Int = 4_096) -> Store<Town> {
    Store.town(limit, slots: slots, clock: clock)
  }

  /// What an action that was taken up waits for.
  enum Wait: CaseIterable {
    case slot, permit
  }

  @Test(
    "R3: an action that waits for a slot or a permit ends with the commit that removes its child (the next child got its commits)",
    arguments: Wait.allCases, TownPlace.allCases)
  func takenUp(_ wait: Wait, _ place: TownPlace) async throws {
    let store = wait == .slot ? town(slots: 1) : town(1)
    let (blocker, load) = (Probe("blocker"), Probe("load"))
    let blocking = store.send(.hall(blocker.action(.concurrent)))
    try await blocker.waitForStart()
    let loading = store.send(place.action(load.action(.concurrent)))
    #expect(await store.metrics.waiting == 1)
    store.send(place.remove)
    #expect(await loading.outcome.kind == .cancelled)
    #expect(await store.metrics.waiting == 0)
    store.send(place.add)
    load.open()
    blocker.open()
    #expect(await blocking.outcome.kind == .finished)
    #expect(load.starts == 0)
    #expect(await place.state(in: store.state)?.log == [])
    #expect(await store.bound == (0, 0, false))
  }

  /// What an undecided action waits for.
  enum Pace: CaseIterable {
    case turn, spacing, debounce, throttle, sharedTurn

    var plan: Plan {
      switch self {
      case .turn: .serial(key: "k")
      case .spacing: .serial(key: "k").spacing(.seconds(5))
      case .debounce: .latest(key: "k").debounce(.seconds(5))
      case .throttle: .latest(key: "k").throttle(.seconds(5))
      case .sharedTurn: .shared(key: "k")
      }
    }
  }

  @Test(
    "R2: an action that waits undecided is rejected as missingChild by the commit that removes its child, and no later child decides it",
    arguments: Pace.allCases, TownPlace.allCases)
  func undecided(_ pace: Pace, _ place: TownPlace) async throws {
    let store = town()
    let (first, second) = (Probe("first"), Probe("second"))
    let before = store.send(place.action(first.action(pace == .sharedTurn ? .serial(key: "k") : pace.plan)))
    if pace != .debounce { try await first.waitForStart() }
    let decided = Recorder<Void>()
    var action = second.action(pace.plan)
    action.decide = { _ in
      decided.record(())
      return .handle
    }
    let waiting = store.send(place.action(action))
    let joined = pace == .sharedTurn ? store.send(place.action(action)) : nil
    store.send(place.remove)
    #expect(await waiting.rejectionKind == .missingChild)
    if let joined { #expect(await joined.rejectionKind == .missingChild) }
    store.send(place.add)
    first.open()
    second.open()
    #expect(await before.outcome.kind == (pace == .debounce ? .superseded : .cancelled))
    clock.advance(by: .seconds(60))
    await store.settle()
    #expect(decided.recorded.isEmpty)
    #expect(second.starts == 0)
    #expect(await place.state(in: store.state)?.log == [])
    #expect(await store.bound == (0, 0, false))
  }

  @Test(
    "R3: an action whose handler has not begun ends with its child, and its handler does nothing to the next one",
    arguments: [true, false], TownPlace.allCases)
  func launched(_ isReplaced: Bool, _ place: TownPlace) async throws {
    let store = town()
    let load = Probe("load")
    load.open()
    let receipts = Recorder<Receipt>()
    // All three are taken up before the handler of the first is begun.
    store.send(
      .apply([
        .change("all") { [store] _ in
          receipts.record(store.send(place.action(load.action(.concurrent))))
          if isReplaced {
            store.send(place.replace)
          } else {
            store.send(place.remove)
            store.send(place.add)
          }
        }
      ]))
    #expect(await receipts.recorded[0].outcome.kind == .cancelled)
    await store.settle()
    #expect(load.starts == 0)
    #expect(await place.state(in: store.state)?.log == [])
  }

  @Test(
    "R3: a run ends with its child while it rests between attempts, and in an attempt, and a later child gets no attempt",
    arguments: [true, false], TownPlace.allCases)
  func attempts(_ isResting: Bool, _ place: TownPlace) async throws {
    let store = town()
    let gate = Gate()
    let attempts = Recorder<Int>()
    let action = Action.handle { run in
      attempts.record(run.attempt)
      if isResting { throw Mishap() }
      await gate.enterIgnoringCancellation()
      run.emit("late")
    }
    let plan = Plan.concurrent.retry(5, backoff: .constant(.seconds(1)), jitter: 0)
    let receipt = store.send(place.action(action.planned(plan)))
    if isResting { try await clock.waitForSleepers(1) } else { try await gate.waitForArrivals() }
    store.send(place.replace)
    #expect(await receipt.outcome.kind == .cancelled)
    gate.open()
    clock.advance(by: .seconds(60))
    await store.settle()
    #expect(attempts.recorded == [1])
    #expect(await place.state(in: store.state)?.log == [])
    #expect(await store.bound == (0, 0, false))
  }

  @Test(
    "The state and the waits of a run whose child was replaced are not those of the next child",
    arguments: TownPlace.allCases)
  func stateOfAReplacedChild(_ place: TownPlace) async throws {
    let store = town()
    let (gate, waits) = (Gate(), Gate())
    let states = Recorder<[String]?>()
    let asked = Recorder<[String]>()
    let action = Action.handle { run in
      states.record(try await run.state.log)
      await gate.enterIgnoringCancellation()
      states.record(try? await run.state.log)
      _ = try? await run.wait("w") { state -> Int? in
        asked.record(state.log)
        return nil
      }
      waits.open()
    }
    let receipt = store.send(place.action(action))
    try await gate.waitForArrivals()
    store.send(place.replace)
    #expect(await receipt.outcome.kind == .cancelled)
    gate.open()
    try await waits.enter()
    #expect(states.recorded == [[], nil])
    #expect(asked.recorded.isEmpty)
  }

  @Test("R3: actions of a child's child end with either child, wherever the scopes stand", arguments: [true, false])
  func childrenOfChildren(_ isWhole: Bool) async throws {
    var town = Town.State()
    town.houses[1] = ScriptedInteractor.State()
    let replaced = town
    let limits = StoreConfiguration.Limits(runsInFlight: 1)
    let store = Store(
      initial: Country.State(towns: ["A": town], capital: town), interactor: Country(),
      configuration: StoreConfiguration(limits: limits))
    let (blocker, load, turn) = (Probe("blocker"), Probe("load"), Probe("turn"))
    load.open()
    turn.open()
    let blocking = store.send(.capital(.hall(blocker.action(.serial(key: "k")))))
    try await blocker.waitForStart()
    let loads = [
      store.send(.town("A", .house(1, load.action(.concurrent)))),
      store.send(.town("A", .house(1, load.action(.serial(key: "k"))))),
      store.send(.capital(.house(1, load.action(.concurrent)))),
    ]
    let undecided = [
      store.send(.town("A", .house(1, turn.action(.serial(key: "k"))))),
      store.send(.capital(.hall(turn.action(.serial(key: "k"))))),
    ]
    if isWhole {
      store.send(.remove("A"))
      store.send(.add("A", replaced))
    } else {
      store.send(.town("A", .remove(1)))
      store.send(.town("A", .add(1)))
    }
    #expect(await loads[0].outcome.kind == .cancelled)
    #expect(await loads[1].outcome.kind == .cancelled)
    guard case .rejected(.missingChild(let missing)) = await undecided[0].outcome else {
      Issue.record("the action was not rejected")
      return
    }
    #expect(isWhole ? missing.id as? String == "A" : missing.id as? Int == 1)
    blocker.open()
    #expect(await blocking.outcome.kind == .finished)
    #expect(await loads[2].outcome.kind == .finished)
    #expect(await undecided[1].outcome.kind == .finished)
    #expect(await store.state.towns["A"]?.houses[1]?.log == [])
    #expect(await store.state.capital.houses[1]?.log == ["load begins", "load done"])
    #expect(await store.bound == (0, 0, false))
  }

  @Test(
    "R3: in 300 walks of opens, closes, sends and ends each child gets the commits of its own actions",
    arguments: 0..<300)
  func walks(_ seed: Int) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let store = town([nil, 1, 2].randomElement(using: &random) ?? nil, slots: Int.random(in: 1...4, using: &random))
    var lives: [TownPlace: Int] = [.inn: 0, .house: 0]
    var born = 0
    var probes: [Probe] = []
    var receipts: [Receipt] = []
    for step in 0..<60 {
      let place = TownPlace.allCases.randomElement(using: &random) ?? .inn
      switch Int.random(in: 0..<10, using: &random) {
      case 0, 1:
        if lives.removeValue(forKey: place) != nil {
          store.send(place.remove)
        } else {
          born += 1
          lives[place] = born
          store.send(place.add)
        }
      case 2 where lives[place] != nil:
        born += 1
        lives[place] = born
        store.send(place.replace)
      case 3...6:
        let probe = Probe("\(lives[place].map(String.init) ?? "none")/\(step)")
        probes.append(probe)
        receipts.append(store.send(place.action(probe.action(Self.plans.randomElement(using: &random) ?? .concurrent))))
      case 7: clock.advance(by: .seconds(Int.random(in: 1...3, using: &random)))
      default: if !probes.isEmpty { probes.remove(at: Int.random(in: 0..<probes.count, using: &random)).open() }
      }
      if Bool.random(using: &random) { await store.settle() }
      for place in TownPlace.allCases {
        let log = await place.state(in: store.state)?.log ?? []
        let life = lives[place].map(String.init) ?? "none"
        #expect(log.allSatisfy { $0.hasPrefix("\(life)/") }, "step \(step): life \(life) of \(place) has \(log)")
      }
    }
    for probe in probes { probe.open() }
    for receipt in receipts { _ = try await clock.run(until: { await receipt.outcome }, within: .seconds(600)) }
    #expect(await store.bound == (0, 0, false))
  }

  private static let plans: [Plan] = [
    .concurrent, .serial(key: "k"), .concurrent(max: 2, key: "k"), .latest(key: "l"),
    .latest(key: "l").debounce(.seconds(2)), .shared(key: "k"), .exclusive(key: "e"),
    .serial(key: "s").spacing(.seconds(1)), .shared(key: "d").debounce(.seconds(1)),
  ]
}
