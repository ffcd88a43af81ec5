import Millrace
import MillraceTesting
import Testing

@testable import MillraceReconcile

/// Timeouts, rests, further attempts and their end.
@Suite("Reconciler, failures", .timeLimit(.minutes(1)))
struct ReconcilerFailureTests {
  @Test("An operation that takes too long is cancelled and tried again")
  func timeout() async throws {
    let gate = Gate()
    let rig = PathRig(timeout: .seconds(3), attempts: 2) { number, _ in if number == 1 { try await gate.enter() } }
    let run = rig.run()
    try await rig.desires.give(["a"])
    try await gate.waitForArrivals()
    try await rig.clock.waitForSleepers()
    rig.clock.advance(by: .milliseconds(2_999))
    #expect(rig.clock.sleepers == 1)
    rig.clock.advance(by: .milliseconds(1))
    rig.desires.finish()
    try await run.value
    #expect(rig.reports.recorded == ["failed push(\"a\", at: 0) #1 in time", "performed push(\"a\", at: 0) #2"])
    #expect(rig.reconciler.acknowledged == ["a"])
    #expect(rig.clock.sleepers == 0)
  }

  @Test("Beside an operation that ignores the end of its time nothing is begun; what it throws then is not reported")
  func ignoredTimeout() async throws {
    let gate = Gate()
    let rig = PathRig(timeout: .seconds(3), attempts: 2) { number, _ in
      guard number == 1 else { return }
      await gate.enterIgnoringCancellation()
      throw Mishap()
    }
    let run = rig.run()
    try await rig.desires.give(["a"])
    try await gate.waitForArrivals()
    try await rig.clock.waitForSleepers()
    rig.clock.advance(by: .seconds(3))
    #expect(try await rig.reports.next() == "failed push(\"a\", at: 0) #1 in time")
    try await rig.desires.give(["b"])
    #expect(rig.begun.recorded == [.push("a", at: 0)])
    gate.open()
    rig.desires.finish()
    try await run.value
    #expect(rig.begun.recorded == [.push("a", at: 0), .push("b", at: 0)])
    #expect(rig.reports.recorded.dropFirst() == ["performed push(\"b\", at: 0) #1"])
  }

  @Test("An operation that returns after its time was performed, and is not tried again")
  func lateAcknowledgement() async throws {
    let gate = Gate()
    let rig = PathRig(timeout: .seconds(3)) { number, _ in if number == 1 { await gate.enterIgnoringCancellation() } }
    let run = rig.run()
    try await rig.desires.give(["a", "b"])
    try await gate.waitForArrivals()
    try await rig.clock.waitForSleepers()
    rig.clock.advance(by: .seconds(3))
    #expect(try await rig.reports.next() == "failed push(\"a\", at: 0) #1 in time")
    gate.open()
    rig.desires.finish()
    try await run.value
    #expect(rig.begun.recorded == [.push("a", at: 0), .push("b", at: 1)])
    #expect(rig.reconciler.acknowledged == ["a", "b"])
  }

  @Test("A failed operation is tried again after the rests of its backoff")
  func rests() async throws {
    let rig = PathRig(
      attempts: 3, backoff: .exponential(initial: .seconds(1), factor: 2, maximum: .seconds(9))
    ) { number, _ in if number < 3 { throw Mishap() } }
    let run = rig.run()
    try await rig.desires.give(["a"])
    for (attempt, rest) in [(1, Duration.seconds(1)), (2, .seconds(2))] {
      try await rig.clock.waitForSleepers()
      rig.clock.advance(by: rest - .milliseconds(1))
      #expect(rig.clock.sleepers == 1)
      #expect(rig.begun.recorded.count == attempt)
      rig.clock.advance(by: .milliseconds(1))
    }
    rig.desires.finish()
    try await run.value
    #expect(
      rig.reports.recorded == [
        "failed push(\"a\", at: 0) #1 by a mishap", "failed push(\"a\", at: 0) #2 by a mishap",
        "performed push(\"a\", at: 0) #3",
      ])
  }

  @Test("A rest ends at once when a new desire has another operation next")
  func restEnds() async throws {
    let rig = PathRig(attempts: 2, backoff: .constant(.seconds(1))) { number, _ in if number == 1 { throw Mishap() } }
    let run = rig.run()
    try await rig.desires.give(["a"])
    try await rig.clock.waitForSleepers()
    try await rig.desires.give(["b"])
    rig.desires.finish()
    try await run.value
    #expect(rig.begun.recorded == [.push("a", at: 0), .push("b", at: 0)])
    #expect(rig.reports.recorded.last == "performed push(\"b\", at: 0) #1")
    #expect(rig.clock.sleepers == 0)
  }

  @Test("A rest continues when a new desire has the same operation next, and the attempts are counted further")
  func restGoesOn() async throws {
    let rig = PathRig(attempts: 2, backoff: .constant(.seconds(1))) { number, _ in if number == 1 { throw Mishap() } }
    let run = rig.run()
    try await rig.desires.give(["a"])
    try await rig.clock.waitForSleepers()
    try await rig.desires.give(["a", "b"])
    #expect(rig.clock.sleepers == 1)
    #expect(rig.begun.recorded.count == 1)
    rig.clock.advance(by: .seconds(1))
    rig.desires.finish()
    try await run.value
    #expect(
      rig.reports.recorded.dropFirst() == ["performed push(\"a\", at: 0) #2", "performed push(\"b\", at: 1) #1"])
  }

  @Test("After the last attempt an equal desire is not tried, and a different one starts over")
  func givesUp() async throws {
    let rig = PathRig(attempts: 2) { number, _ in if number <= 3 { throw Mishap() } }
    let run = rig.run()
    try await rig.desires.give(["a"])
    let failures = [
      "failed push(\"a\", at: 0) #1 by a mishap", "failed push(\"a\", at: 0) #2 by a mishap",
      "gave up push(\"a\", at: 0) #2 by a mishap",
    ]
    #expect(try await rig.reports.next(3) == failures)
    #expect(rig.reconciler.acknowledged == [])
    try await rig.desires.give(["a"])
    try await rig.desires.give(["a", "b"])
    #expect(
      try await rig.reports.next(3) == [
        "failed push(\"a\", at: 0) #1 by a mishap", "performed push(\"a\", at: 0) #2",
        "performed push(\"b\", at: 1) #1",
      ])
    rig.desires.finish()
    try await run.value
    #expect(rig.begun.recorded.count == 5)
  }

  @Test("A run whose newest desire was given up ends with the desires")
  func endsGivenUp() async throws {
    let rig = PathRig { _, _ in throw Mishap() }
    let run = rig.run()
    try await rig.desires.give(["a"])
    try await rig.desires.give(["a"])
    rig.desires.finish()
    try await run.value
    #expect(
      rig.reports.recorded == [
        "failed push(\"a\", at: 0) #1 by a mishap", "gave up push(\"a\", at: 0) #1 by a mishap",
      ])
  }

  @Test("A desire that comes during the last attempt is not given up with it, but starts over")
  func lastAttemptOutdated() async throws {
    let gate = Gate()
    let rig = PathRig { number, _ in
      guard number == 1 else { return }
      await gate.enterIgnoringCancellation()
      throw Mishap()
    }
    let run = rig.run()
    try await rig.desires.give(["a"])
    try await gate.waitForArrivals()
    try await rig.desires.give(["a", "b"])
    gate.open()
    rig.desires.finish()
    try await run.value
    #expect(
      rig.reports.recorded == [
        "failed push(\"a\", at: 0) #1 by a mishap", "performed push(\"a\", at: 0) #1",
        "performed push(\"b\", at: 1) #1",
      ])
  }

  @Test("A timeout and a rest that were not needed leave no sleeper")
  func noSleeper() async throws {
    let rig = PathRig(timeout: .seconds(3), attempts: 2)
    let run = rig.run()
    try await rig.desires.give(["a", "b"])
    rig.desires.finish()
    try await run.value
    #expect(rig.clock.sleepers == 0)
    #expect(rig.reports.recorded.count == 2)
  }
}
