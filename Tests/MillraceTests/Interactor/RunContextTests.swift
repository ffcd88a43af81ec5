import MillraceTesting
import Testing

@testable import Millrace

@Suite("RunContext and W3C Trace Context", .timeLimit(.minutes(1)))
struct RunContextTests {
  let store = Store<ScriptedInteractor>()
  let contexts = Recorder<RunContext?>()
  let trace = TraceContext(
    traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", tracestate: "vendor=1")

  @Test("R7: a trace goes in with the action, out of the handler with the run as caller, and on through another store")
  func throughTwoStores() async throws {
    let other = Store<ScriptedInteractor>()
    let contexts = contexts
    let receipt = store.send(
      .handle { _ in
        let context = RunContext.current
        contexts.record(context)
        let header = try #require(context?.traceparent)
        let sent = TraceContext(traceparent: header, tracestate: context?.tracestate)
        _ = await other.send(.handle { _ in contexts.record(RunContext.current) }, context: sent).outcome
      }, context: trace)
    #expect(await receipt.outcome.isFinished)
    let seen = try await contexts.next(2).compactMap(\.self)
    let headers = seen.compactMap(\.traceparent).compactMap { TraceParent($0) }
    try #require(headers.count == 2)
    let entered = try #require(TraceParent(trace.traceparent))
    #expect(headers.allSatisfy { $0.traceID == entered.traceID && $0.flags == entered.flags })
    #expect(Set([entered.parentID, headers[0].parentID, headers[1].parentID]).count == 3)
    #expect(seen[1].trace?.traceparent == seen[0].traceparent)
    #expect(seen.map(\.tracestate) == ["vendor=1", "vendor=1"])
  }

  @Test("All attempts and all calls of a run have the same caller; another run of the trace has another one")
  func oneCallerARun() async throws {
    let contexts = contexts
    let twice = ScriptedInteractor.Action.handle { run in
      contexts.record(RunContext.current)
      contexts.record(run.context)
      if run.attempt == 1 { throw Mishap() }
    }.planned(Plan.concurrent.retry(2, backoff: .none))
    _ = await store.send(twice, context: trace).outcome
    let headers = try await contexts.next(4).map { $0?.traceparent }
    #expect(headers[0] != nil)
    #expect(Set(headers).count == 1)
    _ = await store.send(.handle { _ in contexts.record(RunContext.current) }, context: trace).outcome
    #expect(try await contexts.next()?.traceparent != headers[0])
  }

  @Test(
    "Without a trace, or with an invalid one, there is nothing to send on",
    arguments: [nil, TraceContext(traceparent: "00-1-2-01", tracestate: "a=b")])
  func nothing(trace: TraceContext?) async throws {
    let contexts = contexts
    let action = ScriptedInteractor.Action.handle { _ in contexts.record(RunContext.current) }
    if let trace { store.send(action, context: trace) } else { store.send(action) }
    let context = try #require(try await contexts.next())
    #expect(context.traceparent == nil)
    #expect(context.tracestate == nil)
  }

  @Test("Flags are handed on, sampled or not")
  func notSampled() async throws {
    let contexts = contexts
    var random = SeededGenerator(seed: 1)
    let trace = TraceContext.new(using: &random, isSampled: false)
    store.send(.handle { _ in contexts.record(RunContext.current) }, context: trace)
    let context = try #require(try await contexts.next())
    #expect(context.traceparent?.hasSuffix("-00") == true)
    #expect(context.traceparent?.prefix(36) == trace.traceparent.prefix(36))
  }

  @Test("A new trace is valid, sampled, drawn from the source it is given, and valid where that gives 0")
  func newTrace() throws {
    /// Always 0.
    struct Zero: RandomNumberGenerator {
      func next() -> UInt64 { 0 }
    }
    var (random, same, zero) = (SeededGenerator(seed: 1), SeededGenerator(seed: 1), Zero())
    let first = TraceContext.new(using: &random)
    #expect(first == TraceContext.new(using: &same))
    #expect(first != TraceContext.new(using: &random))
    #expect(try #require(TraceParent(first.traceparent)).isSampled)
    #expect(first.tracestate == nil)
    #expect(TraceParent(TraceContext.new(using: &zero).traceparent) != nil)
  }
}
