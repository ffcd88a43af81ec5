import MillraceTesting
import Testing

@testable import Millrace

@Suite("run()", .timeLimit(.minutes(1)))
struct StoreRunTests {
  let gate = Gate()
  let store = Store(StoreConfiguration(clock: TestClock()))

  /// Sends an action whose handler stays at the gate, cancelled or not, and emits its name then.
  func stay(_ name: String) async throws -> Receipt {
    let receipt = store.send(
      .handle { [gate] run in
        await gate.enterIgnoringCancellation()
        run.emit(ScriptedInteractor.Mutation(name))
      })
    try await gate.waitForArrivals()
    return receipt
  }

  @Test("S1: run lasts until the store is shut down, in each task that calls it, and returns at once after that")
  func runLasts() async throws {
    let residents = (0..<3).map { _ in Task.immediate { await store.run() } }
    _ = try await stay("a")
    let shutdown = Task.immediate { await store.shutdown(drainFor: .seconds(60)) }
    let late = Task.immediate { await store.run() }
    #expect(store.look { $0.runs?.shutdownWaiters.count } == 4)
    gate.open()
    _ = await shutdown.value
    for resident in residents + [late] { await resident.value }
    await store.run()
    #expect(await store.log == ["a"])
  }

  @Test("S1: run shuts the store down when its task is cancelled, and drains as long as it was told")
  func runShutsDown() async throws {
    let resident = Task.immediate { await store.run(drainFor: .seconds(60)) }
    let receipt = try await stay("a")
    resident.cancel()
    #expect(await store.send(.commit("outside")).outcome.kind == .rejected)
    gate.open()
    await resident.value
    #expect(await receipt.outcome.kind == .finished)
    #expect(await store.log == ["a"])
  }

  @Test("S1: run in a task that is cancelled already shuts the store down and returns")
  func runInACancelledTask() async throws {
    let task = Task.immediate {
      withUnsafeCurrentTask { $0?.cancel() }
      await store.run()
    }
    await task.value
    #expect(await store.send(.commit("outside")).outcome.kind == .rejected)
  }

  @Test("R6: run holds the store")
  func runHoldsTheStore() async throws {
    let owned = Box<Store<ScriptedInteractor>?>(Store())
    weak let store = owned.value
    let resident = Task.immediate { await owned.value?.run() }
    owned.value = nil
    #expect(store != nil)
    await store?.shutdown()
    await resident.value
    #expect(store == nil)
  }

  @Test(
    "S1: a shutdown that is asked for by what another one finds queued ends with it", arguments: [0, 60])
  func aShutdownAmongTheLeftWork(seconds: Int) async throws {
    let store = Store()
    let reports = Box<[Promise<ShutdownReport>]>([])
    let latch = Latch()
    let begin: @Sendable (Int) -> Void = { [core = store.core] seconds in
      let report = core.beginShutdown(drainFor: .seconds(seconds))
      reports.update { $0.append(report) }
    }
    let thread = onThread {
      store.send(
        .commit(
          ScriptedInteractor.Mutation("block") {
            latch.pass()
            begin(60)
          }))
    }
    try await latch.waitForArrival()
    let left = store.send(.commit(ScriptedInteractor.Mutation("left") { begin(seconds) }))
    latch.open()
    await thread.value
    #expect(await left.outcome.kind == .finished)
    for report in reports.value { #expect(await report.value.isClean) }
    #expect(reports.value.count == 2)
    #expect(await store.log == ["block", "left"])
    #expect(await store.send(.commit("late")).outcome.kind == .rejected)
  }
}
