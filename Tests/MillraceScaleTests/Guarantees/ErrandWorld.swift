import MillraceTesting

@testable import Millrace

/// A store that does errands in a world: several tasks send, cancel, observe and shut it down, and what the store guarantees
/// is checked.
///
/// What it can be given is to go wrong in it, and has to break a rule.
struct ErrandWorld {
  /// The plan of an errand.
  var meets: @Sendable (Errand) -> Plan = { $0.plan }

  /// The way to cancel that does nothing.
  var omitted: ErrandSender.Cancelling?

  /// Changes the store's configuration.
  var altered: @Sendable (StoreConfiguration) -> StoreConfiguration = { $0 }

  func callAsFunction(_ world: World) async {
    let (own, handlers) = (OwnStore(), Handlers())
    let limits = Self.limits(in: world)
    let store = store(in: world, limits, own, handlers)
    let errands = Self.errands(in: world)
    for errand in errands { world.note("\(errand)") }
    world.always("A1: no more wait than the limit allows") { [weak store] in
      store?.waitingAtOnce ?? 0 <= limits.actionsWaiting
    }
    let send = ErrandSender(world: world, store: store, limits: limits, omitted: omitted, written: Box(.init()))
    own.become(store) { [omitted, written = send.written] store, errand in
      ErrandSender(world: world, store: store, limits: limits, omitted: omitted, written: written).send(errand)
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
          for errand in errands where errand.number % 3 == sender { await send(errand) }
        }
      }
    }
    send.written.update { $0.shutDown = world.clock.now.offset }
    await Self.shutDown(world, store)
    for observer in observers { await observer.value }
    let entries = await store.state
    world.note("\(entries)")
    let rules = ErrandRules(
      world: world, limits: limits, errands: errands, entries: entries, log: send.log, counts: handlers.counts)
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

  /// Errands that meet in a few of the ways there are, so that many of them do meet.
  private static func errands(in world: World) -> [Errand] {
    var ways = Errand.Meeting.allCases
    while ways.count > 4, let way = world.element(of: ways) { ways.removeAll { $0 == way } }
    return world.actions(12) { [ways] in Errand.random(meeting: ways, &$0) }.enumerated().map { number, errand in
      var errand = errand
      errand.number = number
      for index in errand.sends.indices { errand.sends[index].number = 100 * (index + 1) + number }
      return errand
    }
  }

  private func store(in world: World, _ limits: StoreConfiguration.Limits, _ own: OwnStore, _ handlers: Handlers)
    -> Store<Errands>
  {
    var configuration = world.configuration
    configuration.limits = limits
    configuration.report = { _ in }
    let errands = Errands(world: world, own: own, handlers: handlers, meets: meets)
    return Store(initial: [], interactor: errands, configuration: altered(configuration))
  }

  // MARK: The tasks of the world

  private static func shutDown(_ world: World, _ store: Store<Errands>) async {
    let drain: Duration = world.fault(0.5) ? .zero : .seconds(10)
    let report = await store.shutdown(drainFor: drain)
    world.expect(drain == .zero || report.cancelled.isEmpty, "S1: what can end within the drain is not cancelled")
    let late = await store.send(Errand(number: -1)).outcome
    world.expect("\(late)" == "\(Outcome.rejected(.shuttingDown))", "S1: nothing is taken after the shutdown")
    // Handlers that do not heed their cancellation return within this time.
    try? await world.clock.sleep(for: .seconds(1))
  }

  private static func checkEvery(_ world: World, _ store: Store<Errands>) async {
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

  private static func checkEachState(_ world: World, _ store: Store<Errands>) async {
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

  private static func checkLatest(_ world: World, _ store: Store<Errands>) async {
    var count = -1
    for await state in store.states {
      world.expect(state.count > count, "O3: a later state is newer")
      count = state.count
    }
    world.expect(await store.state.count == count, "O6: the last state is delivered")
  }

  private static func checkValues(
    _ world: World, _ store: Store<Errands>, of value: any KeyPath<[Errands.Entry], Int> & Sendable
  ) async {
    var last: Int?
    for await value in store.values(of: value) {
      guard value != last else { return world.expect(false, "O4: an equal value is not delivered twice in a row") }
      last = value
    }
    world.expect(await store.state[keyPath: value] == last, "O6: the last value is delivered")
  }
}

extension [Errands.Entry] {
  /// A part of the state that becomes again what it was before.
  fileprivate var turn: Int { count / 2 % 3 }
}
