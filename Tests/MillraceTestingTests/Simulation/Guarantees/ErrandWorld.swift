import MillraceTesting

@testable import Millrace

/// A store that does errands in a world: several tasks send, cancel, observe and shut it down, and what the store guarantees
/// is checked.
struct ErrandWorld {
  /// What an errand came to, and how many entries it had when that was seen.
  struct Seen: Sendable {
    let outcome: Outcome.Kind
    let entries: Int
  }

  /// What was seen of the outcomes, by the numbers of the errands.
  final class Outcomes: Sendable {
    private let seen = Lock<[Int: Seen]>([:])

    var all: [Int: Seen] { seen.withLock { $0 } }

    /// False if there was one already.
    func add(_ outcome: Seen, of errand: Errand) -> Bool {
      seen.withLock { $0.updateValue(outcome, forKey: errand.number) == nil }
    }
  }

  static let slots = 4

  var alteration: RunPhase.Alteration?

  func callAsFunction(_ world: World) async {
    let handlers = Handlers()
    let store = store(in: world, handlers)
    let errands = world.actions(12) { Errand.random(&$0) }.enumerated().map { number, errand in
      var errand = errand
      errand.number = number
      return errand
    }
    for errand in errands { world.note("\(errand)") }
    let sent = Recorder<Int>()
    let seen = Outcomes()
    let observers = [Task { await Self.checkEvery(world, store) }, Task { await Self.checkLatest(world, store) }]
    await withTaskGroup { group in
      for sender in 0..<3 {
        group.addTask {
          for errand in errands where errand.number % 3 == sender {
            await Self.send(errand, world, store, sent, seen)
          }
        }
      }
    }
    await Self.shutDown(world, store)
    for observer in observers { await observer.value }
    let entries = await store.state
    let outcomes = seen.all
    world.note("\(entries)")
    world.expect(outcomes.count == errands.count, "R1: every action ends in exactly one outcome")
    for errand in errands {
      guard let seen = outcomes[errand.number] else { continue }
      check(errand, seen, entries.filter { $0.errand == errand.number }.map(\.act), world)
    }
    checkOrder(entries, errands, sent: sent.recorded, world)
    checkHandlers(handlers.counts, errands, world)
    await checkMetrics(store, outcomes, world)
  }

  private func store(in world: World, _ handlers: Handlers) -> Store<Errands> {
    var configuration = world.configuration
    configuration.limits.runsInFlight = Self.slots
    configuration.report = { _ in }
    if let alteration { configuration = StoreConfiguration(configuration, altering: alteration) }
    return Store(
      initial: [], interactor: Errands(clock: world.clock, handlers: handlers), configuration: configuration)
  }

  // MARK: The tasks of the world

  private static func send(
    _ errand: Errand, _ world: World, _ store: Store<Errands>, _ sent: Recorder<Int>, _ seen: Outcomes
  ) async {
    try? await world.clock.sleep(for: errand.delay)
    sent.record(errand.number)
    let receipt = store.send(errand)
    Task {
      let outcome = await receipt.outcome.kind
      let entries = await store.state.count { $0.errand == errand.number }
      let isFirst = seen.add(Seen(outcome: outcome, entries: entries), of: errand)
      world.expect(isFirst, "R1: an action has one outcome")
    }
    if let delay = errand.cancelAfter {
      try? await world.clock.sleep(for: delay)
      receipt.cancel()
      let outcome = await receipt.outcome.kind
      let last = await store.state.last { $0.errand == errand.number }?.act
      // A run that is shared goes on for the others.
      world.expect(
        last == nil || last == .closed(outcome) || outcome == .finished || errand.meeting == .shared,
        "R3: when cancel has returned, the action has its outcome and is closed")
    }
    if errand.cancelsAll { store.cancelAll() }
    if errand.cancelsKey { store.cancel(key: errand.meeting) }
  }

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

  // MARK: What must hold

  /// What was committed for one errand, compared with its outcome.
  private func check(_ errand: Errand, _ seen: Seen, _ acts: [Errands.Act], _ world: World) {
    let parts = acts.compactMap { if case .part(let number, let attempt) = $0 { attempt * 100 + number } else { nil } }
    world.expect(parts == parts.sorted() && Set(parts).count == parts.count, "L1: a run's mutations are in its order")
    // A run that is shared goes on for the others when the first of its actions has its outcome.
    guard errand.meeting != .shared else { return }
    let closings = acts.filter { if case .closed = $0 { true } else { false } }
    world.expect(acts.count == seen.entries, "R3: once an action has its outcome nothing of it is committed")
    world.expect(
      closings.isEmpty || closings == [acts.last], "R2: the closing mutation is the last one, and there is one")
    world.expect(closings.allSatisfy { $0 == .closed(seen.outcome) }, "R2: the closing tells the outcome")
    let isTakenUp = acts.contains(.decided) || errand.end == .reject && !acts.isEmpty
    world.expect(isTakenUp || acts.isEmpty, "R2: what was not taken up has changed nothing")
    world.expect(
      !isTakenUp || closings.isEmpty == (seen.outcome == .finished),
      "R2: what was taken up is closed unless it has finished")
  }

  private func checkOrder(_ entries: [Errands.Entry], _ errands: [Errand], sent: [Int], _ world: World) {
    for (entry, next) in zip(entries, entries.dropFirst() + [Errands.Entry(errand: -1, act: .decided)])
    where entry.act == .decided {
      world.expect(next == .init(errand: entry.errand, act: .decidedToo), "L3: what is decided is one step")
    }
    let byNumber = Dictionary(uniqueKeysWithValues: errands.map { ($0.number, $0) })
    for meeting in [Errand.Meeting.concurrent, .serial, .pair] {
      let takenUp = entries.filter { $0.act == .decided && byNumber[$0.errand]?.meeting == meeting }.map(\.errand)
      let order = sent.filter { takenUp.contains($0) }
      world.expect(takenUp == order, "L2: actions are taken up in the order in which they were accepted")
    }
  }

  private func checkHandlers(_ counts: Handlers.Counts, _ errands: [Errand], _ world: World) {
    for (meeting, most) in counts.most {
      world.expect(
        most <= Errand.maximum(of: meeting) ?? .max, "R4: a turn is free when the handler before it has returned")
    }
    world.expect(counts.mostOfAll <= Self.slots, "A1: no more handlers are out than there are slots")
    world.expect(counts.all == 0, "R4: every handler has returned")
    for errand in errands {
      world.expect(counts.begun[errand.number] ?? 0 <= errand.attempts, "R1: a handler begins once an attempt")
    }
  }

  private func checkMetrics(_ store: Store<Errands>, _ outcomes: [Int: Seen], _ world: World) async {
    let metrics = await store.metrics
    world.expect(metrics.sent == metrics.outcomes.values.reduce(0, +), "R1: as many actions end as were sent")
    world.expect(
      metrics.inFlight == 0 && metrics.waiting == 0 && metrics.notReturned == 0, "R5: nothing is left of what has ended"
    )
  }
}
