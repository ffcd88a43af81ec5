import MillraceTesting
import Testing

@testable import Millrace

/// The causes of commits, under concurrent changes.
@Suite("Causes of transitions", .timeLimit(.minutes(1)))
struct TransitionCauseTests {
  let clock = TestClock()

  /// The names of the mutations that were committed so far, with the ids of the actions that brought them about.
  private func take(
    _ count: Int, _ iterator: inout StoreSequence<Transition<ScriptedInteractor>, Never>.Iterator
  ) async throws -> [Transition<ScriptedInteractor>] {
    var transitions: [Transition<ScriptedInteractor>] = []
    for _ in 0..<count { transitions.append(try #require(await iterator.next())) }
    return transitions
  }

  private func names(_ transitions: [Transition<ScriptedInteractor>], of receipt: Receipt) -> [String] {
    transitions.filter { $0.cause.id == receipt.id }.map(\.mutation.name)
  }

  @Test("Two runs whose commits alternate, with decided actions between, each keep their own cause")
  func interleaved() async throws {
    let store = Store<ScriptedInteractor>()
    var iterator = store.transitions().makeAsyncIterator()
    let gates = (0..<4).map { _ in (Gate(), Recorder<Void>()) }
    func run(_ name: String, _ places: [Int]) -> ScriptedInteractor.Action {
      .handle { run in
        for place in places {
          try await gates[place].0.enter()
          run.emit(ScriptedInteractor.Mutation("\(name)\(place)"))
          gates[place].1.record(())
        }
      }
    }
    let (a, b) = (store.send(run("a", [0, 2])), store.send(run("b", [1, 3])))
    var between: [Receipt] = []
    for gate in gates {
      gate.0.open()
      try await gate.1.next()
      between.append(store.send(.commit("between")))
    }
    let transitions = try await take(8, &iterator)
    let ofRuns: [String] = transitions.map(\.mutation.name).filter { $0 != "between" }
    #expect(ofRuns == ["a0", "b1", "a2", "b3"])
    #expect(names(transitions, of: a) == ["a0", "a2"])
    #expect(names(transitions, of: b) == ["b1", "b3"])
    for receipt in between { #expect(names(transitions, of: receipt) == ["between"]) }
  }

  @Test(
    "All attempts at an action, and its closing mutation, have its cause, whatever comes between", arguments: [2, 3])
  func retries(attempts: Int) async throws {
    let store = Store<ScriptedInteractor>(StoreConfiguration(clock: clock))
    var iterator = store.transitions().makeAsyncIterator()
    let plan = Plan.concurrent.retry(attempts, backoff: .none, jitter: 0, afterCommits: true)
    let receipt = store.send(
      ScriptedInteractor.Action.handle { run in
        run.emit(ScriptedInteractor.Mutation("attempt \(run.attempt)"))
        store.send(.commit("child"))
        throw Mishap()
      }.closed().planned(plan), context: TraceContext(traceparent: "t"))
    #expect(await receipt.outcome.kind == .failed)
    let transitions = try await take(attempts * 2 + 1, &iterator)
    #expect(names(transitions, of: receipt) == (1...attempts).map { "attempt \($0)" } + ["closed: failed"])
    for own in transitions where own.cause.id == receipt.id {
      #expect(own.cause.context.trace?.traceparent == "t")
      #expect(own.cause.context.parent == nil)
    }
    for child in transitions where child.mutation.name == "child" {
      #expect(child.cause.context.parent == transitions[0].cause.context.run)
      #expect(child.cause.context.trace?.traceparent == "t")
    }
  }

  @Test(
    "The commits of a shared run have the cause of the first action, though others join it and the first leaves",
    arguments: [true, false])
  func shared(firstLeaves: Bool) async throws {
    let store = Store<ScriptedInteractor>()
    var iterator = store.transitions().makeAsyncIterator()
    let probe = Probe("probe")
    let first = store.send(probe.action(.shared(key: "k")), context: TraceContext(traceparent: "first"))
    try await probe.waitForStart()
    let second = store.send(Probe("second").action(.shared(key: "k")), context: TraceContext(traceparent: "second"))
    store.send(.commit("between"))
    if firstLeaves { first.cancel() }
    probe.open()
    #expect(await second.outcome.isFinished)
    let transitions = try await take(3, &iterator)
    #expect(transitions.map(\.mutation.name) == ["probe begins", "between", "probe done"])
    #expect(names(transitions, of: first) == ["probe begins", "probe done"])
    #expect(Set([transitions[0], transitions[2]].map(\.cause.context)).count == 1)
    #expect(transitions[2].cause.context.trace?.traceparent == "first")
    #expect(transitions[1].cause.context.trace == nil)
  }

  @Test("Each of several actions that share a run is notified as ended once, with its own cause")
  func endsOfAShared() async throws {
    let store = Store<ScriptedInteractor>()
    let (ends, probe) = (Notes<(ActionID, String?)>(), Probe("probe"))
    store.setInterceptors([Ends { cause, _ in ends.note((cause.id, cause.context.trace?.traceparent)) }])
    let receipts = try await (0..<3).asyncMap { number in
      let receipt = store.send(
        probe.action(.shared(key: "k")), context: TraceContext(traceparent: "\(number)"))
      if number == 0 { try await probe.waitForStart() }
      return receipt
    }
    probe.open()
    for receipt in receipts { #expect(await receipt.outcome.isFinished) }
    #expect(ends.all.map(\.0).sorted { "\($0)" < "\($1)" } == receipts.map(\.id).sorted { "\($0)" < "\($1)" })
    for (id, trace) in ends.all {
      #expect(receipts.firstIndex { $0.id == id }.map(String.init) == trace)
    }
    store.setInterceptors([])
  }

  @Test("While a store drains, and is cut, each commit and each closing has its own cause")
  func drain() async throws {
    let store = Store<ScriptedInteractor>(StoreConfiguration(clock: clock))
    var iterator = store.transitions().makeAsyncIterator()
    let (ending, staying, gate) = (Probe("ending"), Probe("staying"), Gate())
    let first = store.send(ending.action(.concurrent))
    let second = store.send(staying.action(.concurrent))
    let third = store.send(
      ScriptedInteractor.Action.handle { run in
        await gate.enterIgnoringCancellation()
        store.send(.commit("child"))
        run.emit("third")
      })
    let debounced = store.send(.commit("debounced").planned(.latest(key: "d").debounce(.seconds(9))))
    try await staying.waitForStart()
    try await gate.waitForArrivals()
    let closing = Task { await store.shutdown(drainFor: .seconds(60)) }
    #expect(await debounced.outcome.isFinished)
    ending.open()
    gate.open()
    #expect(await first.outcome.isFinished)
    #expect(await third.outcome.isFinished)
    clock.advance(by: .seconds(60))
    #expect(await second.outcome.kind == .shutDown)
    _ = await closing.value
    let transitions = try await take(7, &iterator)
    #expect(names(transitions, of: first) == ["ending begins", "ending done"])
    #expect(names(transitions, of: second) == ["staying begins", "staying: shutDown"])
    #expect(names(transitions, of: third) == ["third"])
    #expect(names(transitions, of: debounced) == ["debounced"])
    let run = transitions.first { $0.cause.id == third.id }?.cause.context.run
    #expect(transitions.first { $0.mutation.name == "child" }?.cause.context.parent == run)
    #expect(await iterator.next() == nil)
    staying.open()
  }

  @Test("Eight tasks send handled, decided and batched actions: every commit has the action that brought it about")
  func stress() async throws {
    let store = Store<ScriptedInteractor>()
    let (senders, each) = (8, scaled(20_000) / 8)
    let observing = Task.immediate { [transitions = store.transitions(.every(buffer: 1_000_000))] in
      var (wrong, count) = (0, 0)
      for try await transition in transitions {
        count += 1
        let expected = transition.cause.context.trace?.traceparent
        if let expected, expected != transition.mutation.name { wrong += 1 }
        if expected == nil, transition.mutation.name != "plain" { wrong += 1 }
      }
      return (wrong, count)
    }
    await withTaskGroup { group in
      for sender in 0..<senders {
        group.addTask {
          for number in 0..<each {
            let name = "\(sender)-\(number)"
            switch number % 3 {
            case 0: store.send(.commit(ScriptedInteractor.Mutation(name)), context: TraceContext(traceparent: name))
            case 1:
              let receipt = store.send(
                .handle { run in for _ in 0..<2 { run.emit(ScriptedInteractor.Mutation(name)) } },
                context: TraceContext(traceparent: name))
              _ = await receipt.outcome
            default: store.send(contentsOf: [.commit("plain"), .commit("plain")])
            }
          }
        }
      }
    }
    await store.shutdown()
    let (wrong, count) = try await observing.value
    #expect(wrong == 0)
    #expect(await store.snapshot.revision == count)
  }
}

/// Implements `ended`.
private struct Ends: Interceptor {
  typealias I = ScriptedInteractor

  let tell: @Sendable (Cause<ScriptedInteractor.Action>, Outcome) -> Void

  func ended(_ cause: Cause<ScriptedInteractor.Action>, outcome: Outcome) { tell(cause, outcome) }
}

extension Sequence {
  /// Transforms each element, one after the other.
  fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}
