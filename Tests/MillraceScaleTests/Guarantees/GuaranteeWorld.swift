import MillraceTesting

@testable import Millrace

/// A store that does actions in a world: several tasks send, cancel, observe and shut it down, and what the store guarantees
/// is checked.
///
/// What it can be given is to go wrong in it, and has to break a rule.
struct GuaranteeWorld {
  /// The plan of an action.
  var plans: @Sendable (SimulatedAction) -> Plan = { $0.plan }

  /// The way to cancel that does nothing.
  var omitted: ActionSender.Cancelling?

  /// Changes the store's configuration.
  var altered: @Sendable (StoreConfiguration) -> StoreConfiguration = { $0 }

  func callAsFunction(_ world: World) async {
    let (own, handlers) = (OwnStore(), Handlers())
    let limits = Self.limits(in: world)
    let store = store(in: world, limits, own, handlers)
    let actions = Self.actions(in: world)
    for action in actions { world.note("\(action)") }
    world.always("A1: no more wait than the limit allows") { [weak store] in
      store?.waitingAtOnce ?? 0 <= limits.actionsWaiting
    }
    let send = ActionSender(world: world, store: store, limits: limits, omitted: omitted, written: Box(.init()))
    own.become(store) { [omitted, written = send.written] store, action in
      ActionSender(world: world, store: store, limits: limits, omitted: omitted, written: written).send(action)
    }
    // A store takes a shorter way while no observer asks for the causes of commits.
    let isCauseSought = world.fault(0.5)
    let observers = [
      Task {
        if isCauseSought { await Self.checkEvery(world, store) } else { await Self.checkEachState(world, store) }
      },
      Task { await Self.checkLatest(world, store) },
      Task { await Self.checkValues(world, store, of: \.count) },
      Task { await Self.checkValues(world, store, of: \.turn) },
    ]
    await withTaskGroup { group in
      for sender in 0..<3 {
        group.addTask {
          for action in actions where action.number % 3 == sender { await send(action) }
        }
      }
    }
    send.written.update { $0.shutDown = world.clock.now.offset }
    await Self.shutDown(world, store)
    for observer in observers { await observer.value }
    let entries = await store.state
    world.note("\(entries)")
    let rules = GuaranteeRules(
      world: world, limits: limits, actions: actions, entries: entries, log: send.log, counts: handlers.counts)
    rules.check()
    rules.check(await store.metrics)
  }

  /// Room for all; in half of the seeds for a few only.
  private static func limits(in world: World) -> StoreConfiguration.Limits {
    let policies: [StoreConfiguration.Overflow?] = [nil, nil, nil, .reject, .dropOldest, .dropNewest]
    guard let policy = world.element(of: policies) ?? nil else { return StoreConfiguration.Limits(runsInFlight: 4) }
    return StoreConfiguration.Limits(
      runsInFlight: 2, actionsWaiting: world.element(of: [2, 1, 0]) ?? 0, onOverflow: policy)
  }

  /// SimulatedInteractor that meet in a few of the ways there are, so that many of them do meet.
  private static func actions(in world: World) -> [SimulatedAction] {
    var ways = SimulatedAction.Overlap.allCases
    while ways.count > 4, let way = world.element(of: ways) { ways.removeAll { $0 == way } }
    return world.actions(12) { [ways] in SimulatedAction.random(overlap: ways, &$0) }.enumerated().map {
      number, action in
      var action = action
      action.number = number
      for index in action.sends.indices { action.sends[index].number = 100 * (index + 1) + number }
      return action
    }
  }

  private func store(in world: World, _ limits: StoreConfiguration.Limits, _ own: OwnStore, _ handlers: Handlers)
    -> Store<SimulatedInteractor>
  {
    var configuration = world.configuration
    configuration.limits = limits
    configuration.report = { _ in }
    let actions = SimulatedInteractor(world: world, own: own, handlers: handlers, plans: plans)
    return Store(initial: [], interactor: actions, configuration: altered(configuration))
  }

  // MARK: The tasks of the world

  private static func shutDown(_ world: World, _ store: Store<SimulatedInteractor>) async {
    let drain: Duration = world.fault(0.5) ? .zero : .seconds(10)
    let report = await store.shutdown(drainFor: drain)
    world.expect(drain == .zero || report.cancelled.isEmpty, "S1: what can end within the drain is not cancelled")
    let late = await store.send(SimulatedAction(number: -1)).outcome
    world.expect("\(late)" == "\(Outcome.rejected(.shuttingDown))", "S1: nothing is taken after the shutdown")
    // Handlers that do not heed their cancellation return within this time.
    try? await world.clock.sleep(for: .seconds(1))
  }

  private static func checkEvery(_ world: World, _ store: Store<SimulatedInteractor>) async {
    var revision = -1
    do {
      for try await transition in store.transitions(.every(endsAt: 10_000)) {
        world.expect(revision < 0 || transition.revision == revision + 1, "O3: every transition is delivered, in order")
        world.expect(transition.state.count == transition.revision, "L1: each commit has the next revision")
        world.expect(transition.state.last == transition.mutation, "O3: a transition has the state after its mutation")
        revision = transition.revision
      }
    } catch {
      world.expect(false, "O3: an observer with room is not cut off")
    }
    let last = await store.snapshot.revision
    world.expect(revision < 0 || revision == last, "O6: what was committed before the end is delivered")
  }

  private static func checkEachState(_ world: World, _ store: Store<SimulatedInteractor>) async {
    var revision = -1
    do {
      for try await snapshot in store.snapshots(.every(endsAt: 10_000)) {
        world.expect(revision < 0 || snapshot.revision == revision + 1, "O3: every state is delivered, in order")
        world.expect(snapshot.state.count == snapshot.revision, "L1: each commit has the next revision")
        revision = snapshot.revision
      }
    } catch {
      world.expect(false, "O3: an observer with room is not cut off")
    }
    world.expect(await store.snapshot.revision == revision, "O6: what was committed before the end is delivered")
  }

  private static func checkLatest(_ world: World, _ store: Store<SimulatedInteractor>) async {
    var count = -1
    for await state in store.states {
      world.expect(state.count > count, "O3: a later state is newer")
      count = state.count
    }
    world.expect(await store.state.count == count, "O6: the last state is delivered")
  }

  private static func checkValues(
    _ world: World, _ store: Store<SimulatedInteractor>,
    of value: any KeyPath<[SimulatedInteractor.Entry], Int> & Sendable
  ) async {
    var last: Int?
    for await value in store.values(of: value) {
      guard value != last else { return world.expect(false, "O4: an equal value is not delivered twice in a row") }
      last = value
    }
    world.expect(await store.state[keyPath: value] == last, "O6: the last value is delivered")
  }
}

extension [SimulatedInteractor.Entry] {
  /// A part of the state that becomes again what it was before.
  fileprivate var turn: Int { count / 2 % 3 }
}
