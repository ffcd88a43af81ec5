import MillraceTesting
import Testing

@testable import Millrace

@Suite("Supervision", .timeLimit(.minutes(1)))
struct SupervisionTests {
  typealias Action = ScriptedInteractor.Action

  /// A store, and what it reports.
  func reporting() -> (Store<ScriptedInteractor>, Recorder<Incident>) {
    let incidents = Recorder<Incident>()
    var configuration = StoreConfiguration()
    configuration.report = { incidents.record($0) }
    return (Store(configuration), incidents)
  }

  @Test("L6: a run that throws ends alone; other runs, observers and the store continue")
  func aThrowingRunEndsAlone() async throws {
    let (store, _) = reporting()
    let gate = Gate()
    let states = Recorder<Int>()
    states.record(from: store.states.map(\.log.count))
    let sibling = store.send(
      .handle { run in
        try await gate.enter()
        run.emit("sibling")
      })
    let thrown = store.send(
      .handle { run in
        run.emit("before")
        throw Mishap()
      })
    guard case .failed(let error) = await thrown.outcome else { return #expect(Bool(false), "It did not fail.") }
    #expect(error as? Mishap == Mishap())
    gate.open()
    #expect(await sibling.outcome.kind == .finished)
    #expect(await store.send(.handle { $0.emit("next") }).outcome.kind == .finished)
    await store.shutdown()
    #expect(await store.log == ["before", "sibling", "next"])
    var last = try await states.next()
    while last < 3 { last = try await states.next() }
  }

  @Test("L6: a failure that nothing was made of is reported each time, with the type and the error and no payload")
  func unhandledFailuresAreReported() async throws {
    let incidents = Recorder<Incident>()
    var configuration = StoreConfiguration()
    configuration.report = { incidents.record($0) }
    let store = Store(initial: 0, interactor: Vault(), configuration: configuration)
    var receipts: [Receipt] = []
    for _ in 0..<2 {
      receipts.append(store.send(Vault.Action(secret: "hunter2")))
      _ = await receipts.last?.outcome
    }
    for (incident, receipt) in zip(try await incidents.next(2), receipts) {
      #expect(incident.action == receipt.id)
      #expect(incident.kind == .unhandledFailure)
      #expect(ObjectIdentifier(incident.type) == ObjectIdentifier(Vault.Action.self))
      #expect(incident.error as? Mishap == Mishap())
      #expect(!incident.description.contains("hunter2"))
      #expect(!"\(incident)".contains("hunter2"))
      let names = (String(reflecting: Vault.self), String(reflecting: Vault.Action.self))
      #expect(
        incident.description
          == "The handler of \(names.0) threw for an action of type \(names.1) (\(receipt.id)), and nothing was made of it: "
          + "a mishap. Return a mutation for .failed from closing(_:outcome:), or catch the error in the handler.")
    }
    #expect(incidents.recorded.count == 2)
  }

  @Test("L6: failures that were closed, cancellations and rejections by decide are not reported")
  func whatWasClosedIsNotReported() async throws {
    let (store, incidents) = reporting()
    _ = await store.send(Action.handle { _ in throw Mishap() }.closed()).outcome
    _ = await store.send(Action.decide { _ in .reject(Mishap()) }).outcome
    let cancelled = store.send(.handle { _ in try await Gate().enter() })
    cancelled.cancel()
    _ = await cancelled.outcome
    _ = await store.send(.handle { _ in throw Mishap() }).outcome
    #expect(try await incidents.next().kind == .unhandledFailure)
    #expect(incidents.recorded.count == 1)
  }

  @Test("L6: each action of a batch, and a shared run once, is reported when it fails")
  func sharedFailuresAreReportedOnce() async throws {
    let (store, incidents) = reporting()
    let gate = Gate()
    let shared = (0..<3).map { _ in
      store.send(
        Action.handle { _ in
          await gate.enterIgnoringCancellation()
          throw Mishap()
        }.planned(.shared(key: 1)))
    }
    gate.open()
    #expect(await kinds(shared) == [.failed, .failed, .failed])
    let incident = try await incidents.next()
    #expect(incident.kind == .unhandledFailure)
    #expect(incident.action == shared[0].id)
    let batch = store.send(contentsOf: [.handle { _ in throw Mishap() }, .handle { _ in throw Mishap() }])
    #expect(await batch.outcomes.map(\.kind) == [.failed, .failed])
    #expect(try await Set(incidents.next(2).map(\.action)).count == 2)
    #expect(incidents.recorded.count == 3)
  }

  /// A run that has its outcome, and whose handler returns when the gate is opened.
  private func cancelledRun(of store: Store<ScriptedInteractor>, until gate: Gate) async throws -> Run<
    ScriptedInteractor
  > {
    let runs = Recorder<Run<ScriptedInteractor>>()
    let receipt = store.send(
      .handle { run in
        runs.record(run)
        await gate.enterIgnoringCancellation()
      })
    let run = try await runs.next()
    receipt.cancel()
    return run
  }

  @Test("R3: late emits are dropped, counted each, and reported once a store")
  func lateEmitsAreReportedOnce() async throws {
    let (store, incidents) = reporting()
    let gate = Gate()
    let run = try await cancelledRun(of: store, until: gate)
    for _ in 0..<5 { #expect(!run.emit("late")) }
    let incident = try await incidents.next()
    #expect(incident.kind == .lateEmit)
    #expect(ObjectIdentifier(incident.type) == ObjectIdentifier(Action.self))
    #expect(incident.error == nil)
    #expect(incident.action == run.id)
    let (script, action) = (String(reflecting: ScriptedInteractor.self), String(reflecting: Action.self))
    #expect(
      incident.description
        == "The handler of \(script) emitted for an action of type \(action) (\(run.id)) after the run had ended, which "
        + "changed nothing. Return when emit answers false, and let the gateways it waits for heed cancellation. "
        + "Further ones are counted in the store's metrics.")
    #expect(await store.metrics.lateEmits == 5)
    #expect(incidents.recorded.count == 1)
    #expect(await store.log == [])
    gate.open()
  }

  @Test("R3: late emits behind another thread's step are dropped and counted")
  func lateEmitsBehindATakenTurn() async throws {
    let (store, incidents) = reporting()
    let gate = Gate()
    let run = try await cancelledRun(of: store, until: gate)
    let (latch, thread) = try await store.block()
    #expect(!run.emit("late"))
    latch.open()
    await thread.value
    #expect(await store.metrics.lateEmits == 1)
    #expect(try await incidents.next().kind == .lateEmit)
    #expect(await store.log == ["block"])
    gate.open()
  }

  @Test("R6: a handler that neither ends nor stops emitting holds no store and changes no state")
  func aHandlerThatNeverEnds() async throws {
    let owned = Box<Store<ScriptedInteractor>?>(Store())
    weak let store = owned.value
    let (gate, stop) = (Gate(), Gate())
    let runs = Recorder<Run<ScriptedInteractor>>()
    let receipt = owned.value?.send(
      .handle { run in
        runs.record(run)
        await gate.enterIgnoringCancellation()
        for _ in 0..<1_000 { run.emit("late") }
        await stop.enterIgnoringCancellation()
      })
    let run = try await runs.next()
    owned.value?.send(.commit("last"))
    owned.value = nil
    #expect(store == nil)
    #expect(await receipt?.outcome.kind == .shutDown)
    gate.open()
    try await stop.waitForArrivals()
    #expect(try await run.state.log == ["last"])
    stop.open()
  }

  @Test("L5: a report may send to the store")
  func aReportMaySend() async throws {
    let owned = Box<Store<ScriptedInteractor>?>(nil)
    var configuration = StoreConfiguration()
    configuration.report = {
      owned.value?.send(.commit(ScriptedInteractor.Mutation("reported \($0.kind == .unhandledFailure)")))
    }
    let store = Store<ScriptedInteractor>(configuration)
    owned.value = store
    store.send(.handle { _ in throw Mishap() })
    #expect(try await store.wait { !$0.log.isEmpty }.log == ["reported true"])
    owned.value = nil
  }
}

/// Fails for actions that must not be printed.
private struct Vault: Interactor {
  struct Action: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    let secret: String
    var description: String { "open with \(secret)" }
    var debugDescription: String { description }
  }

  func handle(_ action: Action, state: Int) async -> Effect<Self> {
    Effect { _ in throw Mishap() }
  }

  static func reduce(into state: inout Int, mutation: Int) {}
}
