import MillraceTesting
import Testing

@testable import Millrace

@Suite("Causality", .timeLimit(.minutes(1)))
struct CausalityTests {
  typealias Action = ScriptedInteractor.Action

  /// A value that a run must not see.
  enum Sender {
    @TaskLocal static var name = "nobody"
  }

  let store = Store()
  let contexts = Recorder<RunContext?>()

  /// An action whose handler notes its context.
  var probe: Action {
    .handle { [contexts] run in
      #expect(run.context == RunContext.current)
      contexts.record(RunContext.current)
    }
  }

  let trace = TraceContext(traceparent: "00-1-2-01", tracestate: "a=b")

  @Test("R7: the context is that of the run in its handler and in the tasks of it, and of nothing elsewhere")
  func whereTheContextHolds() async throws {
    #expect(RunContext.current == nil)
    let receipt = store.send(
      .handle { [contexts] run in
        contexts.record(RunContext.current)
        contexts.record(run.context)
        async let child = RunContext.current
        contexts.record(await child)
        contexts.record(await Task { RunContext.current }.value)
        contexts.record(await Task.detached { RunContext.current }.value)
      })
    let seen = try await contexts.next(5)
    let context = try #require(seen[0])
    #expect(seen == [context, context, context, context, nil])
    #expect(context.run.action == receipt.id)
    #expect(context.parent == nil)
    #expect(context.root == context.run)
    #expect(context.trace == nil)
    #expect(RunContext.current == nil)
    #expect(context.run.description == "\(receipt.id)@\(context.run.store)")
  }

  @Test("R7: a run has the run that sent its action as parent, and the first of the chain as root, across stores")
  func chainsAcrossStores() async throws {
    let other = Store()
    let probe = probe
    store.send(
      .handle { [store, contexts] _ in
        contexts.record(RunContext.current)
        other.send(
          .handle { _ in
            contexts.record(RunContext.current)
            Task { _ = try await store.submit(probe) }
          })
      })
    let chain = try await contexts.next(3).compactMap(\.self)
    #expect(chain.count == 3)
    #expect(Set(chain.map(\.run)).count == 3)
    #expect(chain.map(\.parent) == [nil, chain[0].run, chain[1].run])
    #expect(chain.allSatisfy { $0.root == chain[0].run })
    #expect(chain[0].run.store == chain[2].run.store)
    #expect(chain[0].run.store != chain[1].run.store)
  }

  /// The way in which an action reaches a store.
  enum Way: CaseIterable {
    case atOnce, inABatch, submitted, behindATakenTurn, waitingForATurn, waitingForASlot, shared, retried
  }

  @Test(
    "R7: whichever way an action goes to its handler, its run has its sender as parent and that one's trace",
    arguments: Way.allCases)
  func everyWay(way: Way) async throws {
    let store = Store<ScriptedInteractor>(
      StoreConfiguration(
        clock: TestClock(), limits: StoreConfiguration.Limits(runsInFlight: way == .waitingForASlot ? 2 : 9)))
    let (senderGate, blockerGate) = (Gate(), Gate())
    let probe = probe
    let sent = Gate()
    store.send(
      Action.handle { _ in await blockerGate.enterIgnoringCancellation() }.planned(.serial(key: "turn")))
    let sender = store.send(
      .handle { [contexts] _ in
        contexts.record(RunContext.current)
        await senderGate.enterIgnoringCancellation()
        switch way {
        case .atOnce, .behindATakenTurn, .waitingForASlot: store.send(probe)
        case .inABatch: store.send(contentsOf: [probe])
        case .submitted: try await store.submit(probe)
        case .waitingForATurn: store.send(probe.planned(.serial(key: "turn")))
        case .shared: store.send(probe.planned(.shared(key: 1)))
        case .retried: store.send(probe.planned(Plan.latest(key: 1).retry(3)))
        }
        sent.open()
        try await Gate().enter()
      }, context: trace)
    let parent = try #require(try await contexts.next())
    #expect(parent.trace == trace)
    if way == .behindATakenTurn {
      let (latch, thread) = try await store.block()
      senderGate.open()
      try await sent.enter()
      latch.open()
      await thread.value
    } else {
      senderGate.open()
      try await sent.enter()
    }
    blockerGate.open()
    let child = try #require(try await contexts.next())
    #expect(child.parent == parent.run)
    #expect(child.root == parent.run)
    #expect(child.trace == trace)
    #expect(child.run != parent.run)
    sender.cancel()
  }

  @Test("R7: a trace that is sent along reaches the handler and those of the actions it sends; a child's own wins")
  func tracesTravel() async throws {
    let own = TraceContext(traceparent: "own")
    let probe = probe
    store.send(
      .handle { [store, contexts] _ in
        contexts.record(RunContext.current)
        store.send(probe)
        store.send(probe, context: own)
      }, context: trace)
    let seen = try await contexts.next(3)
    #expect(seen[0]?.trace == trace)
    #expect(seen[0]?.parent == nil)
    #expect(Set(seen.dropFirst().map { $0?.trace }) == [trace, own])
    #expect(seen.dropFirst().allSatisfy { $0?.parent == seen[0]?.run })
  }

  @Test("R7: a trace that is sent along reaches the handler behind another thread's step too")
  func tracesTravelBehindATakenTurn() async throws {
    let (latch, thread) = try await store.block()
    store.send(probe, context: trace)
    latch.open()
    #expect(try await contexts.next()?.trace == trace)
    await thread.value
  }

  // It used to be the run whose thread happened to have the turn.
  @Test(
    "R7: an action sent from decide or reduce has no parent, whichever run's thread has the turn",
    arguments: [true, false])
  func stepsAreNobodys(decides: Bool) async throws {
    let gate = Gate()
    let runs = Recorder<Run<ScriptedInteractor>>()
    let probe = probe
    let sending = ScriptedInteractor.Mutation("sending") { [store] in _ = store.send(probe) }
    store.send(
      .handle { run in
        runs.record(run)
        await gate.enterIgnoringCancellation()
      })
    let run = try await runs.next()
    let latch = Latch()
    let thread = onThread { [store] in
      // The first part of this handler runs on this thread.
      store.send(.handle { $0.emit(ScriptedInteractor.Mutation("block", whileReducing: latch.pass)) })
    }
    try await latch.waitForArrival()
    if decides {
      store.send(
        .decide { [store] _ in
          store.send(probe)
          return .ignore
        })
    } else {
      run.emit(sending)
    }
    latch.open()
    let context = try #require(try await contexts.next())
    #expect(context.parent == nil)
    #expect(context.root == context.run)
    await thread.value
    gate.open()
  }

  @Test("R7: an action that an observer sends has no parent")
  func observersAreNobodys() async throws {
    let probe = probe
    let observer = Task.immediate { [store] in
      for await state in store.states where !state.log.isEmpty {
        store.send(probe)
        return
      }
    }
    store.send(.handle { $0.emit("seen") })
    #expect(try #require(try await contexts.next()).parent == nil)
    await observer.value
  }

  @Test("R7: a run inherits no task-local, no priority and no cancellation of its sender")
  func nothingIsInherited() async throws {
    let priorities = Recorder<TaskPriority>()
    let names = Recorder<String>()
    let cancelled = Recorder<Bool>()
    let action = Action.handle { _ in
      names.record(Sender.name)
      priorities.record(Task.currentPriority)
      cancelled.record(Task.isCancelled)
    }
    for priority in [TaskPriority.background, .high] {
      await Task(priority: priority) { [store] in
        Sender.$name.withValue("somebody") {
          withUnsafeCurrentTask { $0?.cancel() }
          _ = store.send(action)
          _ = store.send(action.planned(Plan.concurrent.retry(2)))
        }
      }.value
    }
    #expect(try await names.next(4) == Array(repeating: "nobody", count: 4))
    #expect(try await cancelled.next(4) == Array(repeating: false, count: 4))
    #expect(try await Set(priorities.next(4).map(\.rawValue)).count == 1)
  }

  @Test("R7: a run that ended, and its task, still say what they are part of")
  func aRunThatEnded() async throws {
    let runs = Recorder<Run<ScriptedInteractor>>()
    let receipt = store.send(.handle { runs.record($0) })
    _ = await receipt.outcome
    #expect(try await runs.next().context?.run.action == receipt.id)
  }
}
