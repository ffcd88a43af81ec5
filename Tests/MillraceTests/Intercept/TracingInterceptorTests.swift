import MillraceTesting
import Testing

@testable import Millrace

@Suite("TracingInterceptor", .timeLimit(.minutes(1)))
struct TracingInterceptorTests {
  typealias Tracing = TracingInterceptor<KitchenInteractor>

  let clock = TestClock()
  let began = Notes<TraceSpan>()
  let committed = Notes<String>()
  let ended = Notes<String>()
  let trace = TraceContext(
    traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", tracestate: "vendor=1")

  var tracing: Tracing {
    Tracing(clock: clock) { [began] in
      began.note($0)
    } committed: { [committed] span, mutation, revision in
      committed.note("\(span.spanID) \(mutation) \(revision)")
    } ended: { [ended] span, outcome, duration in
      ended.note("\(span.spanID) \(outcome.kind) \(duration)")
    }
  }

  func makeStore(_ chain: KitchenInteractor.Chain) -> Store<KitchenInteractor> {
    Store(initial: KitchenInteractor.State(), interactor: KitchenInteractor(), interceptors: chain)
  }

  @Test("A span begins at acceptance, has commits as events, and ends with the outcome and the time since")
  func lifeOfASpan() async throws {
    let store = makeStore([tracing])
    let gate = Gate()
    let header = Recorder<String?>()
    let receipt = store.send(
      .cook { run in
        header.record(RunContext.current?.traceparent)
        run.emit(.served("soup"))
        await gate.enterIgnoringCancellation()
        throw Mishap()
      }, context: trace)
    try await gate.waitForArrivals(1)
    clock.advance(by: .seconds(2))
    gate.open()
    _ = await receipt.outcome
    let span = try #require(began.all.first)
    #expect(span.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
    #expect(span.parentSpanID == "00f067aa0ba902b7")
    #expect(span.tracestate == "vendor=1")
    #expect(span.isSampled)
    #expect(span.name == "cook")
    #expect(span.context.run == RunID(store: store.number, action: receipt.id))
    #expect(span.context.parent == nil)
    #expect(span.context.root == span.context.run)
    #expect(try await header.next() == "00-\(span.traceID)-\(span.spanID)-01")
    #expect(committed.all == ["\(span.spanID) served 1", "\(span.spanID) soiled 2"])
    #expect(ended.all == ["\(span.spanID) failed 2.0 seconds"])
  }

  @Test(
    "The span of what a handler sends is a part of its span, in the same trace, in another store too",
    arguments: [true, false])
  func children(isTraced: Bool) async throws {
    let (store, other) = (makeStore([tracing]), makeStore([tracing]))
    let action = KitchenInteractor.Action.cook { [store] _ in
      _ = await other.send(.cook { _ in _ = await store.send(.serve("pie")).outcome }).outcome
    }
    _ = await (isTraced ? store.send(action, context: trace) : store.send(action)).outcome
    let spans = began.all
    try #require(spans.count == 3)
    #expect(spans.map(\.parentSpanID) == [isTraced ? "00f067aa0ba902b7" : nil, spans[0].spanID, spans[1].spanID])
    #expect(spans.map(\.context.parent) == [nil, spans[0].context.run, spans[1].context.run])
    #expect(Set(spans.map(\.spanID)).count == 3)
    #expect(Set(spans.map(\.traceID)).count == 1)
    #expect(Set(spans.map(\.context.root)) == [spans[0].context.run])
    #expect(spans[0].traceID.count == 32)
    #expect((spans[0].traceID == "4bf92f3577b34da6a3ce929d0e0e4736") == isTraced)
  }

  @Test("An action with a trace of its own is a part of the span that this names, with any sender")
  func ownTrace() async throws {
    let store = makeStore([tracing])
    let own = TraceContext(traceparent: "00-0000000000000000000000000000000a-000000000000000b-00", tracestate: "b=2")
    let action = KitchenInteractor.Action.cook { [store] _ in
      let context = RunContext.current
      _ = await store.send(.serve("own"), context: own).outcome
      let continued = TraceContext(traceparent: try #require(context?.traceparent), tracestate: context?.tracestate)
      _ = await store.send(.serve("continued"), context: continued).outcome
      _ = await store.send(.serve("same"), context: try #require(context?.trace)).outcome
    }
    #expect(await store.send(action, context: trace).outcome.isFinished)
    let spans = began.all
    try #require(spans.count == 4)
    #expect(spans[1].traceID == "0000000000000000000000000000000a")
    #expect(spans[1].parentSpanID == "000000000000000b")
    #expect(spans[1].tracestate == "b=2")
    #expect(!spans[1].isSampled)
    #expect(spans[2...].allSatisfy { $0.traceID == spans[0].traceID && $0.parentSpanID == spans[0].spanID })
  }

  @Test("An invalid trace is as none: the span begins a trace, sampled, without the state")
  func invalidTrace() async throws {
    let store = makeStore([tracing])
    _ = await store.send(.serve("soup"), context: TraceContext(traceparent: "00-1-2-01", tracestate: "a=b")).outcome
    let span = try #require(began.all.first)
    #expect(TraceParent("00-\(span.traceID)-\(span.spanID)-01") != nil)
    #expect(span.parentSpanID == nil)
    #expect(span.tracestate == nil)
    #expect(span.isSampled)
  }

  @Test(
    "An action rejected before it is accepted has no span; one that decide rejects has one; each joiner has its own")
  func whichHaveSpans() async throws {
    let store = makeStore([Refusing(dish: "pie"), tracing])
    _ = await store.send(.serve("pie")).outcome
    #expect(began.all.isEmpty)
    #expect(ended.all.isEmpty)
    _ = await store.send(.refuse).outcome
    #expect(ended.all == began.all.map { "\($0.spanID) rejected 0.0 seconds" })
    let gate = Gate()
    let action = KitchenInteractor.Action.share { run in
      await gate.enterIgnoringCancellation()
      run.emit(.served("for two"))
    }
    let receipts = [store.send(action), store.send(action)]
    receipts[0].cancel()
    gate.open()
    #expect(await receipts[1].outcome.isFinished)
    #expect(began.all.count == 3)
    #expect(Set(began.all.map(\.spanID)).count == 3)
    #expect(ended.all.count == 3)
    #expect(committed.all == ["\(began.all[1].spanID) served 1"])
  }

  @Test("R5: nothing is remembered of an action that has ended")
  func pruned() async throws {
    let tracing = tracing
    let store = makeStore([tracing])
    for number in 0..<1_000 { store.send(.serve("\(number)")) }
    #expect(tracing.openCount == 0)
    let receipt = store.send(.cook { _ in try await Gate().enter() })
    #expect(tracing.openCount == 1)
    receipt.cancel()
    #expect(tracing.openCount == 0)
    #expect(began.all.count == 1_001)
    #expect(ended.all.count == 1_001)
  }
}
