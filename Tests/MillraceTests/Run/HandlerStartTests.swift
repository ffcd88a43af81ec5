import Dispatch
import MillraceTesting
import Testing

@testable import Millrace

@Suite("HandlerStart", .timeLimit(.minutes(1)))
struct HandlerStartTests {
  /// The handler start of the configuration and of the plan, and the start that results.
  struct Row: Sendable {
    let configured: StoreConfiguration.HandlerStart
    let planned: StoreConfiguration.HandlerStart?
    let start: StoreConfiguration.HandlerStart
  }

  static let rows = [
    Row(configured: .onSender, planned: nil, start: .onSender), Row(configured: .onPool, planned: nil, start: .onPool),
    Row(configured: .onSender, planned: .onPool, start: .onPool),
    Row(configured: .onPool, planned: .onSender, start: .onSender),
  ]

  static let plans: [Plan] = [
    .concurrent, .serial(key: "k"), .shared(key: "k"), .concurrent.retry(2),
    .shared(key: "k").attemptTimeout(.seconds(9)),
  ]

  private func store(_ start: StoreConfiguration.HandlerStart) -> Store<ScriptedInteractor> {
    Store(StoreConfiguration(clock: TestClock(), handlersStart: start))
  }

  @Test("A handler starts where its plan says, and otherwise where the configuration says", arguments: rows, plans)
  func whereItStarts(row: Row, plan: Plan) async throws {
    let (store, threads) = (store(row.configured), Recorder<UInt>())
    let plan = row.planned.map { plan.starting($0) } ?? plan
    let action = ScriptedInteractor.Action.handle { _ in threads.record(currentThread()) }.planned(plan)
    // A thread that is none of the pool.
    let (sender, receipt) = await onThreadReturning { (currentThread(), store.send(action)) }
    #expect(await receipt.outcome.kind == .finished)
    #expect(try await (threads.next() == sender) == (row.start == .onSender))
  }

  @Test("L5: a handler that starts on the pool and blocks does not hold its sender", arguments: plans)
  func aSenderIsNotHeld(plan: Plan) async {
    let (store, isSent) = (store(.onPool), DispatchSemaphore(value: 0))
    // On the sender's thread no other thread would signal it.
    @Sendable func wait() -> String { isSent.wait(timeout: .now() + 20) == .success ? "sent" : "held" }
    let action = ScriptedInteractor.Action.handle { run in run.emit(ScriptedInteractor.Mutation(wait())) }
    let receipt = store.send(action.planned(plan))
    isSent.signal()
    #expect(await receipt.outcome.kind == .finished)
    #expect(await store.log == ["sent"])
  }

  @Test("Each attempt starts on the pool")
  func eachAttempt() async {
    let (store, starts) = (store(.onPool), Notes<Int>())
    let action = ScriptedInteractor.Action.handle { run in
      starts.note(run.attempt)
      if run.attempt < 3 { throw Mishap() }
    }
    #expect(await store.send(action.planned(.concurrent.retry(3, backoff: .none))).outcome.kind == .finished)
    #expect(starts.all == [1, 2, 3])
  }

  @Test("A chain of handlers that start on the pool, each sent by the one before, ends")
  func aChain() async throws {
    let (store, last) = (store(.onPool), Recorder<Int>())
    @Sendable func link(_ number: Int) -> ScriptedInteractor.Action {
      .handle { run in
        if number == 10_000 { last.record(number) } else { run.send(link(number + 1)) }
      }
    }
    store.send(link(0))
    #expect(try await last.next() == 10_000)
  }
}
