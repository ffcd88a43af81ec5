import MillraceTesting
import Testing

@testable import Millrace

@Suite("The calls of a step's body", .timeLimit(.minutes(1)))
struct StepRetryTests {
  struct Failed: Error, Equatable {
    let call: Int
  }

  struct Busy: RetryAfter {
    let retryAfter: Duration?
  }

  let clock = TestClock()
  let store: Store<ScriptedInteractor>

  init() {
    var configuration = StoreConfiguration(clock: clock)
    configuration.report = { _ in }
    store = Store(configuration)
  }

  private func send(_ body: @escaping @Sendable (Run<ScriptedInteractor>) async throws -> Void) -> Receipt {
    store.send(.handle(body))
  }

  @Test("As many calls are made as the terms say, with the same key; the last error is the failure")
  func asManyCalls() async throws {
    let (calls, keys) = (Recorder<Int>(), Recorder<String>())
    let receipt = send { run in
      do {
        try await run.step("a", retry: StepRetry(attempts: 3, backoff: .none)) { step in
          calls.record(step.attempt)
          keys.record(step.idempotencyKey)
          throw Failed(call: step.attempt)
        }
      } catch let error as StepFailure {
        #expect(error.step == "a" && error.typeName.hasSuffix("StepRetryTests.Failed"))
        #expect(error.message == "Failed(call: 3)")
      }
      let value = try await run.step("b", retry: StepRetry(attempts: 3, backoff: .none)) { step in
        if step.attempt < 2 { throw Failed(call: step.attempt) }
        return step.attempt
      }
      #expect(value == 2)
      let key = run.idempotencyKey
      #expect(keys.recorded == Array(repeating: "\(key.utf8.count).\(key).a", count: 3))
    }
    #expect(await receipt.outcome.kind == .finished)
    #expect(calls.recorded == [1, 2, 3])
  }

  @Test("Calls below 1 are one, and an error that is not retryable ends them")
  func notRetryable() async {
    let calls = Recorder<Int>()
    let receipt = send { run in
      for (name, retry) in [
        ("none", StepRetry.none), ("zero", StepRetry(attempts: 0)),
        ("if", StepRetry(attempts: 5, if: { ($0 as? Failed)?.call != 1 }, backoff: .none)),
      ] {
        await #expect(throws: StepFailure.self) {
          try await run.step(name, retry: retry) { step in
            calls.record(step.attempt)
            throw Failed(call: step.attempt)
          }
        }
      }
    }
    #expect(await receipt.outcome.kind == .finished)
    #expect(calls.recorded == [1, 1, 1])
  }

  @Test("The delay is that of the backoff, or the one that the error asks for, on the store's clock")
  func delays() async throws {
    let seen = Recorder<Int>()
    let receipt = send { [clock] run in
      let backoff = Plan.Backoff.exponential(initial: .seconds(1), factor: 3)
      try await run.step("a", retry: StepRetry(attempts: 4, backoff: backoff)) { step in
        seen.record(Int(clock.now.offset.components.seconds))
        if step.attempt == 2 { throw Busy(retryAfter: .seconds(100)) }
        if step.attempt < 4 { throw Failed(call: step.attempt) }
      }
    }
    for delay in [1, 100, 9] {
      try await clock.waitForSleepers()
      #expect(clock.deadlines.map { clock.now.duration(to: $0) } == [.seconds(delay)])
      clock.advance(by: .seconds(delay))
    }
    #expect(await receipt.outcome.kind == .finished)
    #expect(seen.recorded == [0, 1, 101, 110])
  }

  @Test(
    "T4: a call that takes longer than its timeout has failed as another one has; the body is cancelled, and the next one begins when it has returned"
  )
  func timeout() async throws {
    let (gate, seen) = (Gate(), Recorder<String>())
    let receipt = send { run in
      do {
        try await run.step("a", retry: StepRetry(attempts: 2, backoff: .none, timeout: .seconds(10))) { step in
          seen.record("call \(step.attempt), \(step.timeRemaining ?? .zero) left")
          try await gate.enter()
        }
      } catch let failure as StepFailure {
        seen.record(failure.description)
        #expect(failure.isTimeout && failure.step == "a" && failure.typeName == "Millrace.StepFailure")
        #expect(failure.message == failure.description)
      }
    }
    for call in 1...2 {
      try await gate.waitForArrivals(call)
      try await clock.waitForSleepers()
      clock.advance(by: .seconds(10))
    }
    #expect(await receipt.outcome.kind == .finished)
    #expect(
      seen.recorded == [
        "call 1, 10.0 seconds left", "call 2, 10.0 seconds left",
        #"The step "a" took longer than its timeout of 10.0 seconds; raise it, or see why the gateway does not answer."#,
      ])
  }

  @Test("A value that a body returns after its timeout is the result; an error that it throws then is none")
  func lateValue() async throws {
    for throwsLate in [false, true] {
      let (gate, cancelled) = (Gate(), Gate())
      let receipt = send { run in
        let result = await Result(catching: {
          try await run.step("a", retry: StepRetry(timeout: .seconds(10))) { _ in
            await withTaskCancellationHandler {
              await gate.enterIgnoringCancellation()
            } onCancel: {
              cancelled.open()
            }
            if throwsLate { throw Failed(call: 1) }
            return 7
          }
        })
        switch result {
        case .success(let value): #expect(value == 7 && !throwsLate)
        case .failure(let error): #expect((error as? StepFailure)?.isTimeout == true && throwsLate)
        }
      }
      try await gate.waitForArrivals(1)
      try await clock.waitForSleepers()
      clock.advance(by: .seconds(10))
      // The body is cancelled when its time is over, and not before.
      try await cancelled.enter()
      gate.open()
      #expect(await receipt.outcome.kind == .finished)
    }
  }

  @Test("The time of a call is that of the plan where it is shorter")
  func timeRemaining() async {
    let action = ScriptedInteractor.Action.handle { run in
      try await run.step("a") { #expect($0.timeRemaining == .seconds(30)) }
      try await run.step("b", retry: StepRetry(timeout: .seconds(60))) { #expect($0.timeRemaining == .seconds(30)) }
      try await run.step("c", retry: StepRetry(timeout: .seconds(20))) { #expect($0.timeRemaining == .seconds(20)) }
    }
    #expect(await store.send(action.planned(.concurrent.timeout(.seconds(30)))).outcome.kind == .finished)
  }

  @Test("A cancellation ends the calls, also in the delay between two")
  func cancelled() async throws {
    let (calls, ended) = (Recorder<Int>(), Recorder<Bool>())
    let receipt = send { run in
      do {
        try await run.step("a", retry: StepRetry(attempts: 9, backoff: .constant(.seconds(60)))) { step in
          calls.record(step.attempt)
          throw Failed(call: step.attempt)
        }
      } catch {
        ended.record(error is CancellationError)
      }
    }
    try await clock.waitForSleepers()
    receipt.cancel()
    #expect(try await ended.next())
    #expect(calls.recorded == [1])
  }
}

extension Result where Failure == any Error {
  fileprivate init(catching body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
