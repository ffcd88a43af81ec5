import MillraceTesting
import Testing

@testable import Millrace

@Suite("Steps without a journal", .timeLimit(.minutes(1)))
struct StepTests {
  typealias Action = ScriptedInteractor.Action
  typealias Mutation = ScriptedInteractor.Mutation

  struct Declined: Error, Codable, Equatable {
    let reason: String
  }

  let clock = TestClock()
  let store: Store<ScriptedInteractor>

  init() {
    var configuration = StoreConfiguration(clock: clock)
    configuration.report = { _ in }
    store = Store(configuration)
  }

  private func finish(
    _ plan: Plan = .concurrent, _ body: @escaping @Sendable (Run<ScriptedInteractor>) async throws -> Void
  )
    async -> Outcome
  {
    await store.send(Action.handle(body).planned(plan)).outcome
  }

  // MARK: The call

  @Test("T6: without a journal a step is a call of its body, and its mutations commit as one before it returns")
  func plainCall() async {
    let outcome = await finish { run in
      let value = try await run.step("one", commit: { [Mutation("\($0)"), "second"] }) { step -> Int in
        #expect(step.name == "one" && step.attempt == 1 && step.timeRemaining == nil)
        return 7
      }
      #expect(value == 7)
      #expect(try await run.state.log == ["7", "second"])
      try await run.step("two", commit: { ["third"] }) { _ in }
      #expect(run.emit("fourth", once: "four"))
    }
    #expect(outcome.kind == .finished)
    #expect(await store.log == ["7", "second", "third", "fourth"])
  }

  @Test("A step is the same in an effect outside a store, and in the run of a child")
  func outsideAStore() async throws {
    let effect = Effect<ScriptedInteractor> { run in
      _ = try await run.step("one", commit: { [Mutation("\($0)")] }) { _ in 7 }
      run.emit("once", once: "two")
      let count = try await run.wait("three") { $0.log.count > 1 ? $0.log.count : nil }
      run.emit(Mutation("\(count)"))
      try await run.sleep("four", for: .zero)
      await #expect(throws: StepError.self) { try await run.step("one") { _ in } }
    }
    var log: [String] = []
    for try await mutation in effect.mutations(state: ScriptedInteractor.State()) { log.append(mutation.name) }
    #expect(log == ["7", "once", "2"])

    let child = effect.mapMutations { Mutation("child \($0.name)") }
    #expect(await finish { run in try await child.perform(in: run) }.kind == .finished)
    #expect(await store.log == ["child 7", "child once", "child 2"])
  }

  @Test("A wait of an effect outside a store ends with the emit of another task, and with the cancellation of its own")
  func waitOutsideAStore() async throws {
    let (reached, cancelled) = (Gate(), Recorder<Bool>())
    let effect = Effect<ScriptedInteractor> { run in
      async let value = run.wait("value") { state -> String? in
        reached.open()
        return state.log.last
      }
      try await reached.enter()
      run.emit("late")
      #expect(try await value == "late")
      let waiting = Task { try await run.wait("never") { $0.log.first { $0 == "never" } } }
      waiting.cancel()
      cancelled.record(await waiting.result.isCancelled)
    }
    for try await _ in effect.mutations(state: ScriptedInteractor.State()) {}
    #expect(cancelled.recorded == [true])
  }

  // MARK: Names

  @Test(
    "T5: a second use of a name in an attempt throws, whatever its kind, also from parallel tasks, and is stored nowhere"
  )
  func duplicate() async {
    let outcome = await finish { run in
      try await run.step("a") { _ in }
      await #expect(throws: StepError.self) { try await run.step("a") { _ in Issue.record("called") } }
      await #expect(throws: StepError.self) { try await run.sleep("a", for: .zero) }
      await #expect(throws: StepError.self) { try await run.wait("a") { _ in 1 } }
      let codes = await withTaskGroup(of: StepError.Code?.self) { group in
        for _ in 0..<8 {
          group.addTask {
            do {
              try await run.step("b") { _ in }
              return nil
            } catch {
              return (error as? StepError)?.code
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(codes.count { $0 == nil } == 1 && codes.count { $0 == .duplicate } == 7)
      // Two texts that are canonically equivalent are two names.
      try await run.step("\u{e9}") { _ in }
      try await run.step("e\u{301}") { _ in }
      try await run.step("a") { _ in }
    }
    guard case .failed(let error as StepError) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(error.code == .duplicate && error.step == "a")
    #expect(
      error.description
        == #"The step "a" was begun a second time in one attempt of its handler; give each step of a run a name of its own, "#
        + "which has the id of its item, or of its child, where there are several.")
  }

  @Test("T5: an emit whose name was used before ends the run with the error, and commits nothing")
  func duplicateEmit() async {
    let outcome = await finish { run in
      #expect(run.emit("one", once: "a"))
      #expect(!run.emit("two", once: "a"))
      #expect(!run.emit("three"))
    }
    guard case .failed(let error as StepError) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(error.code == .duplicate)
    #expect(await store.log == ["one"])
  }

  @Test(
    "T7: a run that a step ends cancels its handler, of which another part may sleep for a day",
    arguments: [true, false])
  func otherBranch(whileItStarts: Bool) async throws {
    let (gate, ended) = (Gate(), Recorder<Bool>())
    let receipt = store.send(
      .handle { run in
        try await withThrowingTaskGroup { group in
          group.addTask {
            do { try await run.sleep("day", for: .seconds(86_400)) } catch { ended.record(error is CancellationError) }
          }
          if !whileItStarts { try await gate.enter() }
          run.emit("one", once: "a")
          run.emit("two", once: "a")
          try await group.waitForAll()
        }
      })
    if !whileItStarts {
      try await gate.waitForArrivals(1)
      try await clock.waitForSleepers()
      gate.open()
    }
    #expect(await receipt.outcome.kind == .failed)
    #expect(try await ended.next())
  }

  @Test("T5: in an effect outside a store an emit whose name was used before ends the effect with the error")
  func duplicateEmitOutsideAStore() async throws {
    let effect = Effect<ScriptedInteractor> { run in
      run.emit("one", once: "a")
      run.emit("two", once: "a")
      #expect(!run.emit("three"))
      await #expect(throws: CancellationError.self) { try await run.step("b") { _ in } }
    }
    var log: [String] = []
    await #expect(throws: StepError.self) {
      for try await mutation in effect.mutations(state: ScriptedInteractor.State()) { log.append(mutation.name) }
    }
    #expect(log == ["one"])
  }

  @Test("T10: a run has at most 10,000 steps; one more throws before its body is called")
  func tooMany() async {
    let outcome = await finish { run in
      for number in 0..<10_000 { try await run.step("\(number)") { _ in } }
      try await run.step("more") { _ in Issue.record("called") }
    }
    guard case .failed(let error as StepError) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(error.code == .tooMany)
    #expect(
      error.description
        == #"The step "more" was not begun, because its run has 10000 steps already; let a long loop send the next "#
        + "action for the rest.")
  }

  // MARK: Attempts of the plan

  @Test("T6: further attempts of the plan get the results of the steps, their errors, and the rest of their sleeps")
  func attempts() async throws {
    struct Again: Error {}
    let (calls, slept) = (Recorder<String>(), Recorder<Int>())
    let receipt = store.send(
      Action.handle { [clock] run in
        let value = try await run.step("value", commit: { [Mutation("value \($0.map(String.init) ?? "nil")")] }) {
          step -> Int? in
          calls.record(step.name)
          return run.attempt == 1 ? nil : 8
        }
        #expect(value == nil)
        do {
          try await run.step("failure") { step in
            calls.record(step.name)
            throw Declined(reason: "attempt \(run.attempt)")
          }
        } catch let error as StepFailure {
          #expect(error.error(as: Declined.self) == Declined(reason: "attempt 1"))
          #expect(error.description == #"The step "failure" failed: Declined(reason: "attempt 1")"#)
        }
        run.emit("once", once: "emit")
        #expect(try await run.wait("wait") { $0.log.count } == 2)
        try await run.sleep("sleep", for: .seconds(60))
        slept.record(Int(clock.now.offset.components.seconds))
        if run.attempt < 3 { throw Again() }
      }.planned(.concurrent.retry(3, backoff: .constant(.seconds(5)), jitter: 0)))
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(60))
    for _ in 1...2 {
      try await clock.waitForSleepers()
      clock.advance(by: .seconds(5))
    }
    // The mutations of steps do not keep a plan from another attempt.
    #expect(await receipt.outcome.kind == .finished)
    #expect(calls.recorded == ["value", "failure"])
    #expect(slept.recorded == [60, 65, 70])
    #expect(await store.log == ["value nil", "once"])
  }

  @Test("T6: an emit of an attempt keeps the plan from another one, also before and behind a step with mutations")
  func emitsCount() async {
    struct Again: Error {}
    for emitsFirst in [true, false] {
      let seen = Recorder<Int>()
      let outcome = await finish(.concurrent.retry(3, backoff: .none)) { run in
        seen.record(run.attempt)
        if emitsFirst { run.emit("plain") }
        try await run.step("a", commit: { ["step"] }) { _ in }
        if !emitsFirst { run.emit("plain") }
        throw Again()
      }
      #expect(outcome.kind == .failed)
      #expect(seen.recorded == [1], "emits first: \(emitsFirst)")
    }
  }

  @Test("T6: a failure of a step that leaves the handler ends the run without another attempt")
  func noFurtherAttempt() async {
    let attempts = Recorder<Int>()
    let plan = Plan.concurrent.retry(3, backoff: .none)
    let failed = await finish(plan) { run in
      attempts.record(run.attempt)
      try await run.step("a") { _ in throw Declined(reason: "no") }
    }
    let duplicate = await finish(plan) { run in
      attempts.record(run.attempt)
      try await run.step("a") { _ in }
      try await run.step("a") { _ in }
    }
    #expect(failed.kind == .failed && duplicate.kind == .failed)
    #expect(attempts.recorded == [1, 1])
  }

  @Test("T6: the breaker counts the failure of a step like the error it stands for")
  func breaker() async {
    let breaker = Plan.Breaker(failures: 2, countsIf: { !($0 is Declined) && !($0 is StepFailure) })
    let plan = Plan.serial(key: "k").breaker(breaker)
    for _ in 1...3 { _ = await finish(plan) { run in try await run.step("a") { _ in throw Declined(reason: "no") } } }
    #expect(await finish(plan) { _ in }.kind == .finished)
    struct Down: Error {}
    for _ in 1...2 { _ = await finish(plan) { run in try await run.step("a") { _ in throw Down() } } }
    #expect(await finish(plan) { _ in }.rejectionKind == .breakerOpen)
  }

  @Test(
    "T6: a body that is out when its attempt is given up may be called again; its late result is dropped and counted")
  func lateResult() async throws {
    let (gate, keys, late) = (Gate(), Recorder<String>(), Recorder<Bool>())
    let receipt = store.send(
      Action.handle { run in
        defer { if run.attempt == 1 { late.record(Task.isCancelled) } }
        let value = try await run.step("a", commit: { [Mutation("value \($0)")] }) { step -> Int in
          keys.record(step.idempotencyKey)
          if run.attempt == 1 { await gate.enterIgnoringCancellation() }
          return run.attempt
        }
        #expect(value == 2)
      }.planned(.concurrent.retry(2, backoff: .none).attemptTimeout(.seconds(10))))
    try await gate.waitForArrivals(1)
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(10))
    #expect(await receipt.outcome.kind == .finished)
    gate.open()
    #expect(try await late.next())
    #expect(await store.log == ["value 2"])
    #expect(await store.metrics.lateEmits == 1)
    #expect(Set(keys.recorded).count == 1 && keys.recorded.count == 2)
  }

  // MARK: The end of a handling

  @Test("T9: once a handling is over each step throws before its body is called, and each emit returns false")
  func afterTheEnd() async throws {
    let (gate, seen) = (Gate(), Recorder<String>())
    let receipt = store.send(
      .handle { run in
        await gate.enterIgnoringCancellation()
        for name in ["step", "sleep", "wait"] {
          do {
            switch name {
            case "step": try await run.step(name) { _ in Issue.record("called") }
            case "sleep": try await run.sleep(name, for: .zero)
            default: _ = try await run.wait(name) { _ in 1 }
            }
          } catch {
            seen.record("\(name) \(error is CancellationError)")
          }
        }
        seen.record("emit \(run.emit("late", once: "emit"))")
      })
    try await gate.waitForArrivals(1)
    receipt.cancel()
    gate.open()
    for expected in ["step true", "sleep true", "wait true", "emit false"] {
      #expect(try await seen.next() == expected)
    }
    #expect(await store.log.isEmpty)
  }

  @Test("A step in a cancelled task of a run that continues throws, and leaves its name to another one")
  func cancelledName() async throws {
    let outcome = await finish { run in
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await run.step("a") { _ in Issue.record("called") }
      }
      #expect(await task.result.isCancelled)
      let value = try await run.step("a") { _ in 2 }
      #expect(value == 2)
    }
    #expect(outcome.kind == .finished)
  }

  @Test("T4: the error of a body in a cancelled task of a run that continues is no failure of the step")
  func cancelledTask() async throws {
    let (gate, seen) = (Gate(), Recorder<Bool>())
    let receipt = store.send(
      .handle { run in
        let task = Task {
          try await run.step("a") { _ in
            await gate.enterIgnoringCancellation()
            throw Declined(reason: "cancelled")
          }
        }
        try await gate.waitForArrivals(1)
        task.cancel()
        gate.open()
        seen.record(await task.result.isCancelled)
      })
    #expect(await receipt.outcome.kind == .finished)
    #expect(seen.recorded == [true])
  }

  @Test("The error of a cancelled body is no failure of the step")
  func cancelledBody() async throws {
    let (gate, seen) = (Gate(), Recorder<Bool>())
    let receipt = store.send(
      .handle { run in
        do {
          try await run.step("a") { _ in
            await gate.enterIgnoringCancellation()
            throw Declined(reason: "cancelled")
          }
        } catch {
          seen.record(error is CancellationError)
        }
      })
    try await gate.waitForArrivals(1)
    receipt.cancel()
    gate.open()
    #expect(try await seen.next())
  }
}

extension Result where Failure == any Error {
  /// Whether it is the error of a cancellation.
  fileprivate var isCancelled: Bool {
    if case .failure(let error) = self { error is CancellationError } else { false }
  }
}
