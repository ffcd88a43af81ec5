import MillraceTesting
import Testing

@testable import Millrace

/// Two parts of a plan at once, and ends through a failure, in a store.
@Suite("Pairs of features", .timeLimit(.minutes(1)))
struct RunPairsTests {
  let clock = TestClock()
  let gate = Gate()

  private func store(runs: Int = 4, waiting: Int = 4) -> Store<ScriptedInteractor> {
    let limits = StoreConfiguration.Limits(runsInFlight: runs, actionsWaiting: waiting)
    return Store(StoreConfiguration(clock: clock, limits: limits))
  }

  /// Sends an action whose handler commits and then stays until its task is cancelled, in each attempt.
  private func sendCommitting(_ plan: Plan, to store: Store<ScriptedInteractor>) async throws -> Receipt {
    let receipt = store.send(
      ScriptedInteractor.Action.handle { [gate] run in
        run.emit(ScriptedInteractor.Mutation("attempt \(run.attempt)"))
        try await gate.enter()
      }.planned(plan))
    try await gate.waitForArrivals()
    return receipt
  }

  @Test("An attempt that has committed and then times out is not repeated")
  func committedAndTimedOut() async throws {
    let store = store()
    let plan = Plan.concurrent.attemptTimeout(.seconds(5)).retry(3, backoff: .none)
    let receipt = try await sendCommitting(plan, to: store)
    await store.pass(.seconds(5), on: clock)
    #expect(await receipt.outcome.kind == .timedOut)
    #expect(await store.log == ["attempt 1"])
  }

  @Test("S1: cancelAll ends a drain at once, whatever waits or rests")
  func drainAndCancelAll() async throws {
    let store = store(runs: 1)
    let running = try await sendCommitting(.serial(key: "k"), to: store)
    let waiting = store.send(ScriptedInteractor.Action.handle { _ in }.planned(.serial(key: "k")))
    let report = Task.immediate { await store.shutdown(drainFor: .seconds(1_000)) }
    store.cancelAll()
    for receipt in [running, waiting] { #expect(await receipt.outcome.kind == .cancelled) }
    #expect(await report.value.cancelled.isEmpty, "The drain ended before its time, which no one let pass.")
  }

  @Test("D6: when the journal fails the tasks of handlers are cancelled")
  func handlersOfAFailedJournal() async throws {
    let journal = ScriptedJournal<Ledger.Action, [Int]>()
    let ends = Recorder<Bool>()
    let store = Store.restored(
      [], revision: 0,
      interactor: Ledger { [gate] _, _ in
        do { try await gate.enter() } catch { ends.record(Task.isCancelled) }
      }, configuration: StoreConfiguration(), journal: journal, gate: journal.gate)
    journal.attach(to: store.journaled)
    let receipt = store.send(.load(4))
    journal.store(1)
    try await gate.waitForArrivals()
    journal.fail()
    #expect(try await ends.next())
    #expect(await receipt.outcome.kind == .failed)
  }

  @Test("A1: a submit that is cancelled while suspended leaves its line, and is counted no longer")
  func cancelledSubmit() async throws {
    let store = store(runs: 1, waiting: 0)
    let running = try await sendCommitting(.concurrent, to: store)
    let submits = (0..<3).map { _ in Task.immediate { try await store.submit(.handle { _ in }) } }
    #expect(await store.onRuns { $0?.scheduler.submitting } == 3)
    for submit in submits { submit.cancel() }
    for submit in submits { await #expect(throws: CancellationError.self) { try await submit.value } }
    let counts = await store.onRuns { ($0?.scheduler.submitting, $0?.submitters.isEmpty) }
    #expect(counts.0 == 0 && counts.1 == true)
    gate.open()
    #expect(await running.outcome.kind == .finished)
    #expect(await store.remainder == nil)
  }

  // MARK: Errors and the breaker

  @Test("A breaker counts the errors that `countsIf` names, and asks it once an attempt without the lock")
  func countedErrors() async {
    let (store, asked) = (store(), Notes<String>())
    let breaker = Plan.Breaker(failures: 1) { [store] error in
      asked.note("\(error), lock held: \(store.core.lock.isHeldHere)")
      return !(error is Forbidden)
    }
    let plan = Plan.concurrent.retry(2, if: { !($0 is Forbidden) }, backoff: .none).breaker(breaker, key: "gateway")
    func send(_ error: (any Error)?) -> Receipt {
      store.send(ScriptedInteractor.Action.handle { _ in if let error { throw error } }.planned(plan))
    }
    for _ in 0..<3 { #expect(await send(Forbidden()).outcome.kind == .failed) }
    #expect(await send(nil).outcome.kind == .finished)
    #expect(asked.all == Array(repeating: "Forbidden(), lock held: false", count: 3))
    #expect(await send(Mishap()).outcome.kind == .failed)
    #expect(await send(nil).rejectionKind == .breakerOpen)
    await store.pass(.seconds(30), on: clock)
    #expect(await send(Forbidden()).outcome.kind == .failed)
    #expect(await send(nil).outcome.kind == .finished, "The probe before it said nothing.")
  }

  @Test(
    "An error that asks for another attempt at once gets it, with jitter too", arguments: [Duration.zero, .seconds(-1)])
  func retryAtOnce(_ delay: Duration) async {
    let store = store()
    let plan = Plan.concurrent.retry(3, backoff: .constant(.seconds(10)), jitter: 1)
    let receipt = store.send(
      ScriptedInteractor.Action.handle { run in if run.attempt < 3 { throw Busy(retryAfter: delay) } }.planned(plan))
    #expect(await receipt.outcome.kind == .finished)
  }
}

private struct Forbidden: Error {}

private struct Busy: RetryAfter {
  let retryAfter: Duration?
}
