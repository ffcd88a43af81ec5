import MillraceTesting

@testable import Millrace

/// A store that does errands in a world: several tasks send, cancel, observe and shut it down, and what the store guarantees
/// is checked.
///
/// What it can be given is to go wrong in it, and has to break a rule.
struct ErrandWorld {
  /// How errands meet each other.
  var meets: @Sendable (Errand) -> Plan = { $0.plan }

  /// The way to cancel that does nothing.
  var omitted: ErrandSender.Cancelling?

  /// What the store's configuration is.
  var altered: @Sendable (StoreConfiguration) -> StoreConfiguration = { $0 }

  func callAsFunction(_ world: World) async {
    let handlers = Handlers()
    let limits = Self.limits(in: world)
    let store = store(in: world, limits, handlers)
    let errands = Self.errands(in: world)
    for errand in errands { world.note("\(errand)") }
    world.always("A1: no more wait than the limit allows") { [weak store] in
      store?.waitingAtOnce ?? 0 <= limits.actionsWaiting
    }
    let send = ErrandSender(world, store, limits, omitting: omitted)
    let observers = [Task { await Self.checkEvery(world, store) }, Task { await Self.checkLatest(world, store) }]
    await withTaskGroup { group in
      for sender in 0..<3 {
        group.addTask {
          for errand in errands where errand.number % 3 == sender { await send(errand) }
        }
      }
    }
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
  private static func limits(in world: World) -> StoreLimits {
    let policies: [OverflowPolicy?] = [nil, nil, nil, .reject, .dropOldest, .dropNewest]
    guard let policy = world.element(of: policies) ?? nil else { return StoreLimits(runsInFlight: 4) }
    return StoreLimits(
      runsInFlight: 2, actionsWaiting: world.element(of: [2, 1, 0]) ?? 0, onOverflow: policy)
  }

  private static func errands(in world: World) -> [Errand] {
    world.actions(12) { Errand.random(&$0) }.enumerated().map { number, errand in
      var errand = errand
      errand.number = number
      return errand
    }
  }

  private func store(in world: World, _ limits: StoreLimits, _ handlers: Handlers) -> Store<Errands> {
    var configuration = world.configuration
    configuration.limits = limits
    configuration.report = { _ in }
    let errands = Errands(clock: world.clock, handlers: handlers, meets: meets)
    return Store(initial: [], interactor: errands, configuration: altered(configuration))
  }

  // MARK: The tasks of the world

  private static func shutDown(_ world: World, _ store: Store<Errands>) async {
    let drain: Duration = world.fault(0.5) ? .zero : .seconds(1)
    let report = await store.shutdown(drainFor: drain)
    world.expect(drain == .zero || report.cut.isEmpty, "S1: what can end within the drain is not cut")
    let late = await store.send(Errand(number: -1)).outcome
    world.expect("\(late)" == "\(Outcome.rejected(.shuttingDown))", "S1: nothing is taken after the shutdown")
    // Handlers that do not heed their cancellation return within this time.
    try? await world.clock.sleep(for: .seconds(1))
  }

  private static func checkEvery(_ world: World, _ store: Store<Errands>) async {
    var revision = -1
    do {
      for try await transition in store.transitions(.every(buffer: 10_000)) {
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

  private static func checkLatest(_ world: World, _ store: Store<Errands>) async {
    var count = -1
    for await state in store.states {
      world.expect(state.count > count, "O3: a later state is newer")
      count = state.count
    }
    world.expect(await store.state.count == count, "O6: the last state is delivered")
  }
}
