import Millrace
import MillraceTesting
import Testing

@testable import MillraceReconcile

@Suite("Reconciler", .timeLimit(.minutes(1)))
struct ReconcilerTests {
  @Test("Operations are performed in order, each when the one before has returned and was acknowledged")
  func order() async throws {
    let gate = Gate()
    let log = Notes<String>()
    let rig = PathRig(initial: ["a", "b"]) { number, _ in
      log.note("\(number) begins")
      if number == 2 { await gate.enterIgnoringCancellation() }
      log.note("\(number) ends")
    }
    let run = rig.run()
    try await rig.desires.give(["c", "d"])
    try await gate.waitForArrivals()
    #expect(rig.reconciler.acknowledged == ["a"])
    #expect(rig.reports.recorded == ["performed pop(\"b\", at: 1) #1"])
    gate.open()
    rig.desires.finish()
    try await run.value
    #expect(rig.begun.recorded == [.pop("b", at: 1), .change(at: 0, from: "a", to: "c"), .push("d", at: 1)])
    #expect(log.all == (1...3).flatMap { ["\($0) begins", "\($0) ends"] })
    #expect(rig.reconciler.acknowledged == ["c", "d"])
  }

  @Test("A desire that comes while an operation is under way has it finished, and decides the next one")
  func neverOutdated() async throws {
    let gate = Gate()
    let rig = PathRig { _, _ in await gate.enterIgnoringCancellation() }
    let run = rig.run()
    try await rig.desires.give(["a", "b"])
    try await gate.waitForArrivals()
    try await rig.desires.give(["x"])
    try await rig.desires.give(["c", "d"])
    #expect(rig.begun.recorded == [.push("a", at: 0)])
    gate.open()
    rig.desires.finish()
    try await run.value
    #expect(rig.begun.recorded == [.push("a", at: 0), .change(at: 0, from: "a", to: "c"), .push("d", at: 1)])
    #expect(rig.reconciler.acknowledged == ["c", "d"])
  }

  @Test("A desire that is so already leads to nothing")
  func reached() async throws {
    let rig = PathRig(initial: ["a"])
    let run = rig.run()
    try await rig.desires.give(["a"])
    rig.desires.finish()
    try await run.value
    #expect(rig.begun.recorded == [])
    #expect(rig.reports.recorded == [])
  }

  @Test("A run waits for the next desire, and ends when the desires end and the newest one is reached")
  func ends() async throws {
    let rig = PathRig()
    let run = rig.run()
    try await rig.desires.give(["a"])
    #expect(try await rig.reports.next() == "performed push(\"a\", at: 0) #1")
    try await rig.desires.give([])
    #expect(try await rig.reports.next() == "performed pop(\"a\", at: 0) #1")
    rig.desires.finish()
    try await run.value

    let unasked = PathRig()
    unasked.desires.finish()
    try await unasked.run().value
    #expect(unasked.begun.recorded == [])
  }

  @Test("A second run at the same time is refused, and the first one continues")
  func secondAtOnce() async throws {
    let rig = PathRig()
    let run = rig.run()
    try await rig.desires.give(["a"])
    await #expect(throws: ReconcilerError(.alreadyRunning)) { try await rig.reconciler.run(following: Desires()) }
    try await rig.desires.give(["b"])
    rig.desires.finish()
    try await run.value
    #expect(rig.reconciler.acknowledged == ["b"])
  }

  @Test("A later run continues from the acknowledged value, and tries again an operation that was given up")
  func secondLater() async throws {
    let rig = PathRig { number, _ in if number == 2 { throw Mishap() } }
    let first = rig.run()
    try await rig.desires.give(["a", "b"])
    rig.desires.finish()
    try await first.value
    #expect(rig.reconciler.acknowledged == ["a"])
    let desires = Desires<PathRig.Path>()
    let second = Task { try await rig.reconciler.run(following: desires) }
    try await desires.give(["a", "b"])
    desires.finish()
    try await second.value
    #expect(rig.begun.recorded == [.push("a", at: 0), .push("b", at: 1), .push("b", at: 1)])
    #expect(rig.reconciler.acknowledged == ["a", "b"])
  }

  @Test(
    "A reconciler whose settings say nothing refuses to run",
    arguments: [
      (.zero, 1, .none, .invalidTimeout), (.seconds(-1), 1, .none, .invalidTimeout), (nil, 0, .none, .invalidAttempts),
      (nil, 1, .constant(.seconds(-1)), .invalidBackoff),
    ] as [(Duration?, Int, Plan.Backoff, ReconcilerError.Code)])
  func refused(timeout: Duration?, attempts: Int, backoff: Plan.Backoff, code: ReconcilerError.Code) async throws {
    let rig = PathRig(timeout: timeout, attempts: attempts, backoff: backoff)
    await #expect(throws: ReconcilerError(code)) { try await rig.reconciler.run(following: rig.desires) }
  }

  @Test("Cancellation cancels the operation under way, and nothing of it is acknowledged if it throws")
  func cancelled() async throws {
    let gate = Gate()
    let rig = PathRig(attempts: 3) { _, _ in try await gate.enter() }
    let run = rig.run()
    try await rig.desires.give(["a", "b"])
    try await gate.waitForArrivals()
    run.cancel()
    try await run.value
    #expect(rig.reports.recorded == ["cancelled push(\"a\", at: 0)"])
    #expect(rig.begun.recorded.count == 1)
    #expect(rig.reconciler.acknowledged == [])
  }

  @Test("A cancelled run returns when the operation under way has, and acknowledges it if it returns")
  func cancelledAndDone() async throws {
    let gate = Gate()
    let isDone = Box(false)
    let rig = PathRig(timeout: .seconds(1)) { _, _ in
      await gate.enterIgnoringCancellation()
      isDone.value = true
    }
    let run = rig.run()
    let wasDone = Task {
      try await run.value
      return isDone.value
    }
    try await rig.desires.give(["a", "b"])
    try await gate.waitForArrivals()
    run.cancel()
    gate.open()
    #expect(try await wasDone.value)
    #expect(rig.reports.recorded == ["performed push(\"a\", at: 0) #1"])
    #expect(rig.reconciler.acknowledged == ["a"])
    #expect(rig.clock.sleepers == 0)
  }

  @Test("Cancellation ends a run that waits, and one that rests")
  func cancelledWhileIdle() async throws {
    let waiting = PathRig()
    let first = waiting.run()
    try await waiting.desires.give([])
    first.cancel()
    try await first.value

    let resting = PathRig(attempts: 2, backoff: .constant(.seconds(1))) { _, _ in throw Mishap() }
    let second = resting.run()
    try await resting.desires.give(["a"])
    try await resting.clock.waitForSleepers()
    second.cancel()
    try await second.value
    #expect(resting.reports.recorded == ["failed push(\"a\", at: 0) #1 by a mishap"])
    #expect(resting.clock.sleepers == 0)
  }

  @Test("A cancelled run can be followed by another one")
  func runAgain() async throws {
    let rig = PathRig()
    let run = rig.run()
    try await rig.desires.give(["a"])
    _ = try await rig.reports.next()
    run.cancel()
    try await run.value
    let desires = Desires<PathRig.Path>()
    let next = Task { try await rig.reconciler.run(following: desires) }
    try await desires.give(["a", "b"])
    desires.finish()
    try await next.value
    #expect(rig.reconciler.acknowledged == ["a", "b"])
  }

  struct Shelf: Interactor {
    typealias Mutations = Effect<Self>

    enum Change: Sendable {
      case items([Int])
      case label(String)
    }

    struct State: Sendable {
      var items: [Int]
      var label = ""
    }

    func decide(_ action: Change, state: State) -> Decision<Change> { .mutate(action) }

    static func reduce(into state: inout State, mutation: Change) {
      switch mutation {
      case .items(let items): state.items = items
      case .label(let label): state.label = label
      }
    }
  }

  @Test("A store's state drives a reconciler until the store is shut down")
  func store() async throws {
    let store = Store(initial: Shelf.State(items: [1]), interactor: Shelf())
    let reports = Recorder<String>()
    let reconciler = Reconciler<ReconciledPath<Int>>(initial: [], report: { reports.record($0.short) }) { _ in }
    let run = Task { try await reconciler.run(following: store.values { ReconciledPath($0.items) }) }
    #expect(try await reports.next() == "performed push(1, at: 0) #1")
    store.send(.items([2, 3]))
    #expect(try await reports.next(2) == ["performed change(at: 0, from: 1, to: 2) #1", "performed push(3, at: 1) #1"])
    store.send(.label("new"))
    store.send(.items([]))
    _ = await store.shutdown()
    try await run.value
    #expect(reconciler.acknowledged == [])
    #expect(try await reports.next(2) == ["performed pop(3, at: 1) #1", "performed pop(2, at: 0) #1"])
  }
}
