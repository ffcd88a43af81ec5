import MillraceTesting
import Testing

@testable import Millrace

@Suite("Requests", .timeLimit(.minutes(1)))
struct RequestTests {
  typealias Action = ScriptedInteractor.Action

  let clock = TestClock()
  let store: Store<ScriptedInteractor>
  let gate = Gate()

  init() {
    store = Store(StoreConfiguration(clock: clock))
  }

  /// An action whose handler emits its name when the gate is open.
  func staying(_ name: String) -> Action {
    Action.handle { [gate] run in
      await gate.enterIgnoringCancellation()
      run.emit(ScriptedInteractor.Mutation(name))
    }.closed(as: name)
  }

  // MARK: The answer

  @Test("A decided action is answered from the state that its mutations led to", arguments: RequestWay.allCases)
  func decided(way: RequestWay) async throws {
    #expect(try await way.log(of: .commit("a"), at: store) == ["a"])
    #expect(try await way.log(of: Action.commit("b").planned(.serial(key: "k")), at: store) == ["a", "b"])
    #expect(try await way.log(of: .decide { _ in .ignore }, at: store) == ["a", "b"])
    #expect(try await store.request(.commit("c"), returning: { $0.log.count }) == 3)
    #expect(await store.metrics.outcomes == [.finished: 4])
  }

  @Test(
    "A handled action is answered from the state of the step in which its handler has returned",
    arguments: RequestWay.allCases)
  func handled(way: RequestWay) async throws {
    let answer = Task.immediate { try await way.log(of: staying("a"), at: store) }
    try await gate.waitForArrivals()
    store.send(.commit("meanwhile"))
    gate.open()
    #expect(try await answer.value == ["meanwhile", "a"])
  }

  @Test(
    "The answer holds nothing that is committed behind the step in which the action ends", arguments: [true, false])
  func theStateIsThatOfTheStep(isPlanned: Bool) async throws {
    let action = Action.commit("a").planned(isPlanned ? .serial(key: "k") : .concurrent)
    // The closure runs inside the step, so what it sends is committed right behind that.
    let answer = try await store.request(action) { [store] state in
      store.send(.commit("behind"))
      return state.log
    }
    #expect(answer == ["a"])
    #expect(await store.log == ["a", "behind"])
    #expect(try await store.request(.commit("b"), returning: { $0.log.last }) == "b")
  }

  @Test("The outcome of the action is visible behind the answer")
  func theOutcomeComesLater() async throws {
    let (told, ended) = (Notes<Int>(), Notes<Outcome.Kind>())
    store.setInterceptors([Ending { ended.note($0.kind) }])
    let answer = try await store.request(.handle { $0.emit("a") }) { state in
      told.note(ended.all.count)
      return state.log
    }
    #expect(answer == ["a"])
    #expect(told.all == [0])
    #expect(ended.all == [.finished])
  }

  @Test("L5: a request from inside a step is answered behind it")
  func insideAStep() async throws {
    let answers = Recorder<Task<[String], any Error>>()
    store.send(
      .commit(
        ScriptedInteractor.Mutation("a") { [store] in
          answers.record(Task.immediate { try await store.request(.commit("b"), returning: { $0.log }) })
        }))
    #expect(try await answers.next().value == ["a", "b"])
  }

  @Test(
    "An action that an interceptor replaces is answered; one that it rejects throws its outcome",
    arguments: RequestWay.allCases)
  func interceptors(way: RequestWay) async throws {
    store.setInterceptors([
      Choosing<ScriptedInteractor> { action, _ in
        action.plan.isConcurrent ? .replace(.commit("replaced")) : .reject("not today")
      }
    ])
    #expect(try await way.log(of: .commit("a"), at: store) == ["replaced"])
    let error = await #expect(throws: StoreError.self) {
      try await way.log(of: Action.commit("a").planned(.serial(key: "k")), at: store)
    }
    #expect(error?.outcome?.rejectionKind == .intercepted)
    #expect(error?.description == "An interceptor rejected the action: not today")
    #expect(await store.metrics.sent == 2)
  }

  // MARK: Joining

  @Test("R4: actions that join a shared run are answered each, from the state in which it ends")
  func joined() async throws {
    let action = staying("a").planned(.shared(key: "k"))
    let answers = (0..<10).map { number in
      Task.immediate { [store] in try await store.request(action, returning: { ($0.log, number) }) }
    }
    try await gate.waitForArrivals()
    gate.open()
    for (number, answer) in answers.enumerated() {
      let (log, other) = try await answer.value
      #expect(log == ["a"])
      #expect(other == number)
    }
  }

  /// Makes 200 requests share a run; the first answer calls `act` in its step, which takes effect right after that step.
  func share(_ action: Action, _ act: @escaping @Sendable () -> Void) async throws -> [Task<[String], any Error>] {
    let calls = Notes<Void>()
    let answers = (0..<200).map { _ in
      Task.immediate { [store] in
        try await store.request(action.planned(.shared(key: "k"))) { state in
          calls.note(())
          if calls.all.count == 1 { act() }
          return state.log
        }
      }
    }
    try await gate.waitForArrivals()
    gate.open()
    return answers
  }

  @Test("R3: of the actions that share a run at most 64 are answered in one step, from the state of that step")
  func joinedInSteps() async throws {
    let other = Probe("b")
    store.send(other.action(.serial(key: "b")))
    let answers = try await share(staying("a")) { [store] in store.cancel(key: "b") }
    for (number, answer) in answers.enumerated() {
      #expect(try await answer.value == (number < 64 ? ["b begins", "a"] : ["b begins", "a", "b: cancelled"]))
    }
    other.open()
  }

  @Test(
    "R3: actions that share a run and have no outcome yet are cancelled between two steps",
    arguments: [true, false])
  func cancelledBetweenTheSteps(byKey: Bool) async throws {
    let answers = try await share(staying("a")) { [store] in
      if byKey { store.cancel(key: "k") } else { store.cancelAll() }
    }
    for (number, answer) in answers.enumerated() {
      do {
        #expect(try await answer.value == ["a"])
        #expect(number < 64)
      } catch let error as StoreError {
        #expect(error.outcome?.kind == .cancelled)
        #expect(number >= 64)
      }
    }
    #expect(await store.log == ["a"])
    #expect(await store.metrics.outcomes == [.finished: 64, .cancelled: 136])
    #expect(await store.onRuns { $0?.scheduler.isEmpty } == true)
    #expect(await store.keyCount == 0)
  }

  @Test("R1, R5: 1,000 actions that share a run are all answered, and leave nothing behind")
  func manyJoined() async throws {
    let action = staying("a").planned(.shared(key: "k"))
    let answers = (0..<1_000).map { _ in Task.immediate { try await RequestWay.atOnce.log(of: action, at: store) } }
    try await gate.waitForArrivals()
    gate.open()
    for answer in answers { #expect(try await answer.value == ["a"]) }
    #expect(await store.onRuns { $0?.scheduler.isEmpty } == true)
    #expect(await store.keyCount == 0)
    let metrics = await store.metrics
    #expect(metrics.waiting == 0)
    #expect(metrics.inFlight == 0)
    #expect(metrics.outcomes == [.finished: 1_000])
  }

  @Test("S1: a drain that a shared run asks for waits for all that share it once it has finished, in several steps")
  func drainOfASharedRun() async throws {
    let reports = Recorder<Task<ShutdownReport, Never>>()
    let busy = Probe("b")
    let other = store.send(busy.action(.serial(key: "b")))
    let action = Action.handle { [store, gate] run in
      try await gate.enter()
      reports.record(Task.immediate { await store.shutdown(drainFor: .seconds(60)) })
      run.emit("a")
    }
    let answers = try await share(action) { [store] in store.cancel(key: "b") }
    for answer in answers { #expect(try await answer.value.contains("a")) }
    #expect(await other.outcome.kind == .cancelled)
    let report = try await reports.next().value
    #expect(report == ShutdownReport(drained: 201, cancelled: [], notReturned: [other.id]))
    busy.open()
  }

  // MARK: No answer

  @Test("An action that does not finish throws its outcome, behind its closing", arguments: RequestWay.allCases)
  func failing(way: RequestWay) async throws {
    let failed = try await way.outcome(of: Action.handle { _ in throw Mishap() }.closed(), at: store)
    guard case .failed(let error) = failed else { return #expect(Bool(false)) }
    #expect(error is Mishap)
    #expect(await store.log == ["closed: failed"])
    let rejected = try await way.outcome(of: Action.decide { _ in .reject(Mishap()) }.closed(), at: store)
    #expect(rejected?.rejectionKind == .decided)
    #expect(await store.log == ["closed: failed", "closed: rejected"])
    let invalid = try await way.outcome(of: Action.commit("a").planned(.concurrent.timeout(.zero)), at: store)
    #expect(invalid?.rejectionKind == .invalidPlan)
  }

  @Test("The answer of an action that does not finish is not read")
  func answerOfAnUnfinishedAction() async throws {
    let reads = Notes<Void>()
    await #expect(throws: StoreError.self) {
      try await store.request(Action.handle { _ in throw Mishap() }.closed(), returning: { _ in reads.note(()) })
    }
    #expect(reads.all.isEmpty)
  }

  @Test("The plan's timeout is the deadline of a request", arguments: RequestWay.allCases)
  func timeout(way: RequestWay) async throws {
    let action = staying("a").planned(.concurrent.timeout(.seconds(1)))
    let outcome = Task.immediate { try await way.outcome(of: action, at: store) }
    try await gate.waitForArrivals()
    try await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(try await outcome.value?.kind == .timedOut)
    #expect(await store.log == ["a: timedOut"])
    gate.open()
  }

  @Test("An action that is superseded, or cancelled, throws that outcome", arguments: RequestWay.allCases)
  func cutShort(way: RequestWay) async throws {
    let outcomes = ["a", "b"].map { name in
      Task.immediate { try await way.outcome(of: staying(name).planned(.latest(key: "k")), at: store) }
    }
    try await gate.waitForArrivals(2)
    #expect(try await outcomes[0].value?.kind == .superseded)
    store.cancel(key: "k")
    #expect(try await outcomes[1].value?.kind == .cancelled)
    gate.open()
  }

  @Test("A1: a request is refused where send is; with waitingForRoom it waits for room, and then for the answer")
  func full() async throws {
    let store = Store(StoreConfiguration(limits: StoreConfiguration.Limits(runsInFlight: 1, actionsWaiting: 1)))
    let answers = ["a", "b"].map { name in
      Task.immediate { try await RequestWay.atOnce.log(of: staying(name), at: store) }
    }
    try await gate.waitForArrivals()
    #expect(try await RequestWay.atOnce.outcome(of: staying("c"), at: store)?.rejectionKind == .full)
    let submitted = Task.immediate { try await RequestWay.waitingForRoom.log(of: staying("d"), at: store) }
    #expect(await store.metrics.submitting == 1)
    gate.open()
    #expect(try await submitted.value == ["a", "b", "d"])
    #expect(try await answers[0].value == ["a"])
    #expect(try await answers[1].value == ["a", "b"])
  }

  @Test("A1: a request is refused when too many actions are queued", arguments: [false, true])
  func tooManyQueued(isIntercepted: Bool) async throws {
    let store = Store(StoreConfiguration(limits: StoreConfiguration.Limits(queuedActions: 1)))
    if isIntercepted { store.setInterceptors([Choosing<ScriptedInteractor> { _, _ in .pass }]) }
    let (latch, thread) = try await store.block()
    store.send(.commit("queued"))
    #expect(try await RequestWay.atOnce.outcome(of: .commit("a"), at: store)?.rejectionKind == .full)
    latch.open()
    await thread.value
    #expect(await store.log == ["block", "queued"])
  }

  @Test("S1: a shutdown ends a request as shut down, and refuses later ones; one that waits for room throws its error")
  func shutdown() async throws {
    let outcome = Task.immediate { try await RequestWay.atOnce.outcome(of: staying("a"), at: store) }
    try await gate.waitForArrivals()
    await store.shutdown()
    #expect(try await outcome.value?.kind == .shutDown)
    #expect(try await RequestWay.atOnce.outcome(of: .commit("late"), at: store)?.rejectionKind == .shuttingDown)
    #expect(
      await #expect(throws: StoreError.self) {
        try await RequestWay.waitingForRoom.log(of: .commit("late"), at: store)
      }?.code == .shutDown)
    #expect(await store.log == ["a: shutDown"])
    gate.open()
  }

  @Test("S1: a drain answers what it waits for")
  func drain() async throws {
    let answer = Task.immediate { try await RequestWay.atOnce.log(of: staying("a"), at: store) }
    try await gate.waitForArrivals()
    let shutdown = Task.immediate { await store.shutdown(drainFor: .seconds(60)) }
    gate.open()
    #expect(try await answer.value == ["a"])
    #expect(await shutdown.value.isClean)
  }
}

/// Records the outcomes for a test.
private struct Ending: Interceptor {
  typealias I = ScriptedInteractor

  let tell: @Sendable (Outcome) -> Void

  func ended(_ cause: Cause<I.Action>, outcome: Outcome) { tell(outcome) }
}
