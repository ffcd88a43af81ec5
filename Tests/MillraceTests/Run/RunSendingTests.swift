import MillraceTesting
import Testing

@testable import Millrace

@Suite("The actions that runs send", .timeLimit(.minutes(1)))
struct RunSendingTests {
  typealias Action = ScriptedInteractor.Action

  let clock = TestClock()
  let store: Store<ScriptedInteractor>

  init() {
    store = Store(StoreConfiguration(clock: clock))
  }

  /// The two ways in which a run gives the store an action.
  enum Way: CaseIterable {
    case send, submit

    func give<I>(_ action: I.Action, in run: Run<I>) async throws -> Receipt {
      switch self {
      case .send: run.send(action)
      case .submit: try await run.submit(action)
      }
    }
  }

  static let runEnded =
    "The run that sent it had ended; send it before the handler returns, and return when `emit` answers false."
  static let attemptGivenUp =
    "The attempt that sent it was given up; heed the cancellation of the task, and send it in the next attempt."

  // MARK: Order and lineage

  @Test(
    "An action that a run sends is committed between its mutations before and after, also behind another thread's step",
    arguments: Way.allCases)
  func order(_ way: Way) async throws {
    let first = store.send(
      .handle { run in
        run.emit("a")
        _ = try await way.give(.commit("b"), in: run)
        run.emit("c")
      })
    #expect(await first.outcome.kind == .finished)
    #expect(await store.log == ["a", "b", "c"])
    let gate = Gate()
    let left = Gate()
    let second = store.send(
      .handle { run in
        try await gate.enter()
        run.emit("d")
        let sent = run.send(.commit("e"))
        run.emit("f")
        left.open()
        #expect(await sent.outcome.kind == .finished)
      })
    let (latch, thread) = try await store.block()
    gate.open()
    try await left.enter()
    latch.open()
    #expect(await second.outcome.kind == .finished)
    #expect(await store.log == ["a", "b", "c", "block", "d", "e", "f"])
    await thread.value
  }

  @Test(
    "R7: its parent is the run that sends it, from whichever task, and it has that one's trace", arguments: Way.allCases
  )
  func lineage(_ way: Way) async throws {
    let contexts = Recorder<RunContext?>()
    let probe = Action.handle { contexts.record($0.context) }
    let trace = TraceContext(traceparent: "00-1-2-01")
    store.send(
      .handle { run in
        contexts.record(run.context)
        _ = try await way.give(probe, in: run)
        _ = try await Task.detached { try await way.give(probe, in: run) }.value
        _ = try await way.give(probe.planned(.serial(key: "k")), in: run)
      }, context: trace)
    let seen = try await contexts.next(4).compactMap(\.self)
    let parent = try #require(seen.first)
    #expect(parent.parent == nil)
    #expect(seen.dropFirst().map(\.parent) == [parent.run, parent.run, parent.run])
    #expect(seen.allSatisfy { $0.root == parent.run && $0.trace == trace })
    #expect(Set(seen.map(\.run)).count == 4)
  }

  @Test("An action that a run sent continues when that run ends", arguments: Way.allCases)
  func goesOn(_ way: Way) async throws {
    let probe = Probe("sent")
    let sent = Recorder<Receipt>()
    let stays = Gate()
    let receipt = store.send(
      .handle { run in
        sent.record(try await way.give(probe.action(.concurrent), in: run))
        try await stays.enter()
      })
    let child = try await sent.next()
    try await probe.waitForStart()
    receipt.cancel()
    probe.open()
    #expect(await child.outcome.kind == .finished)
    #expect(await receipt.outcome.kind == .cancelled)
    #expect(await store.log == ["sent begins", "sent done"])
  }

  @Test("L5: a long chain of runs that each send the next one keeps the stack flat")
  func chain() async throws {
    let ended = Gate()
    @Sendable func link(_ number: Int) -> Action {
      .handle { run in
        if number == 0 { ended.open() } else { run.send(link(number - 1)) }
      }
    }
    store.send(link(20_000))
    try await ended.enter()
  }

  @Test("Interceptors see what a run sends, and which run it is")
  func interceptors() async throws {
    let notes = Recorder<RunID?>()
    store.setInterceptors([ParentSpy(notes: notes)])
    let gate = Gate()
    let sender = store.send(
      .handle { run in
        await gate.enterIgnoringCancellation()
        #expect(await run.send(.commit("sent")).outcome.kind == .finished)
        let submitted = try await run.submit(.commit("submitted"))
        #expect(await submitted.outcome.kind == .finished)
      })
    try await gate.waitForArrivals()
    gate.open()
    #expect(await sender.outcome.kind == .finished)
    #expect(try await notes.next(3).map(\.?.action) == [nil, sender.id, sender.id])
    #expect(await store.log == ["sent", "submitted"])
  }

  @Test(
    "S1: during a drain what runs send is taken, and beyond the limits it is rejected as full", arguments: Way.allCases)
  func drainAndLimits(_ way: Way) async throws {
    let store = Store<ScriptedInteractor>(
      StoreConfiguration(limits: StoreConfiguration.Limits(runsInFlight: 1, actionsWaiting: 0)))
    let gate = Gate()
    let kinds = Recorder<Outcome>()
    store.send(
      .handle { run in
        await gate.enterIgnoringCancellation()
        let drained = try await way.give(.commit("drained"), in: run)
        kinds.record(await drained.outcome)
        let beyond = try await way.give(.handle { _ in }, in: run)
        kinds.record(await beyond.outcome)
      })
    try await gate.waitForArrivals()
    let shutdown = Task.immediate { await store.shutdown(drainFor: .seconds(60)) }
    gate.open()
    let outcomes = try await kinds.next(2)
    #expect(outcomes[0].kind == .finished)
    guard case .rejected(.full) = outcomes[1] else {
      Issue.record("\(outcomes[1])")
      return
    }
    #expect(await shutdown.value.isClean)
    #expect(await store.log == ["drained"])
  }

  // MARK: After the end

  @Test(
    "After a run has ended, however it did, what it sends is rejected with a sentence and changes nothing",
    arguments: Way.allCases)
  func afterTheEnd(_ way: Way) async throws {
    let runs = Recorder<Run<ScriptedInteractor>>()
    let gate = Gate()
    let stays = Action.handle { run in
      runs.record(run)
      try await gate.enter()
    }
    // Each has begun before the next one is sent: a run that ends before its start never calls its handler.
    let finished = store.send(.handle { runs.record($0) })
    var ended = [try await runs.next()]
    let cancelled = store.send(stays)
    ended.append(try await runs.next())
    cancelled.cancel()
    let superseded = store.send(stays.planned(.latest(key: "k")))
    ended.append(try await runs.next())
    let newer = store.send(Action.decide { _ in .ignore }.planned(.latest(key: "k")))
    for receipt in [finished, cancelled, superseded, newer] { _ = await receipt.outcome }
    for run in ended {
      let receipt = try await way.give(.commit("late"), in: run)
      #expect(await receipt.reasonNotSent == Self.runEnded)
      #expect(await receipt.firstCommit == nil)
    }
    #expect(await store.log == [])
    #expect(await store.metrics.rejections == [.notSent: 3])
  }

  @Test("After the store has ended it is rejected as that", arguments: Way.allCases)
  func afterTheStore(_ way: Way) async throws {
    let runs = Recorder<Run<ScriptedInteractor>>()
    store.send(.handle { runs.record($0) })
    let run = try await runs.next()
    await store.shutdown()
    let late = try await way.give(.commit("late"), in: run)
    guard case .rejected(.shuttingDown) = await late.outcome else {
      Issue.record("An action was not rejected as the store's shutdown says.")
      return
    }
  }

  @Test(
    "An action queued behind another thread's step is rejected when its run is cancelled before the holder reaches it")
  func cancelledBeforeItsTurn() async throws {
    let gate = Gate()
    let runs = Recorder<Run<ScriptedInteractor>>()
    let receipt = store.send(
      .handle { run in
        runs.record(run)
        try await gate.enter()
      })
    let run = try await runs.next()
    let sent = Recorder<Receipt>()
    // Inside a commit the send is left for later, and the cancel takes effect right after the commit.
    store.send(
      .commit(
        ScriptedInteractor.Mutation("step") {
          sent.record(run.send(.commit("never")))
          receipt.cancel()
        }))
    #expect(try await sent.next().reasonNotSent == Self.runEnded)
    #expect(await receipt.outcome.kind == .cancelled)
    #expect(await store.log == ["step"])
  }

  @Test(
    "After an attempt was given up, what it sends is rejected, and the next attempt may send", arguments: Way.allCases)
  func afterAnAttempt(_ way: Way) async throws {
    let gate = Gate()
    let runs = Recorder<Run<ScriptedInteractor>>()
    let receipt = store.send(
      Action.handle { run in
        runs.record(run)
        await gate.enterIgnoringCancellation()
      }.planned(Plan.concurrent.attemptTimeout(.seconds(5)).retry(2, backoff: .none)))
    let first = try await runs.next()
    await store.pass(.seconds(5), on: clock)
    let second = try await runs.next()
    let early = try await way.give(.commit("first"), in: first)
    #expect(await early.reasonNotSent == Self.attemptGivenUp)
    let timely = try await way.give(.commit("second"), in: second)
    #expect(await timely.outcome.kind == .finished)
    gate.open()
    #expect(await receipt.outcome.kind == .finished)
    let last = try await way.give(.commit("first"), in: first)
    #expect(await last.reasonNotSent == Self.runEnded)
    #expect(await store.log == ["second"])
  }

  @Test("An effect outside a store sends nothing, and says so", arguments: Way.allCases)
  func outsideAStore(_ way: Way) async throws {
    let effect = Effect<ScriptedInteractor> { run in
      let receipt = try await way.give(.commit("sent"), in: run)
      run.emit(ScriptedInteractor.Mutation(await receipt.reasonNotSent ?? "sent"))
      receipt.cancel()
    }
    var log: [String] = []
    for try await mutation in effect.mutations(state: ScriptedInteractor.State()) { log.append(mutation.name) }
    #expect(
      log == [
        "The effect is iterated outside a store, where nothing takes actions; return it from `handle` of a store's interactor."
      ])
  }
}

extension Receipt {
  /// The reason why a run could not send the action; nil if the action ended otherwise.
  var reasonNotSent: String? {
    get async {
      if case .rejected(.notSent(let reason)) = await outcome { reason } else { nil }
    }
  }
}

/// Notes the run that sends each action.
private struct ParentSpy: Interceptor {
  typealias I = ScriptedInteractor

  let notes: Recorder<RunID?>

  func intercept(_ action: ScriptedInteractor.Action, context: InterceptionContext<ScriptedInteractor.Action>)
    -> Interception<ScriptedInteractor.Action>
  {
    notes.record(context.parent)
    return .pass
  }
}
