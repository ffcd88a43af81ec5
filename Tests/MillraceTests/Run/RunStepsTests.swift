import Testing

@testable import Millrace

@Suite("The steps of a run")
struct RunStepsTests {
  private func isNew(_ steps: RunSteps, _ name: String, attempt: Int = 1) throws -> Bool? {
    switch try steps.begin(name, .step, attempt: attempt, nil) {
    case .new: true
    case .known: false
    case .over: nil
    }
  }

  @Test(
    "T5: a step of an attempt that was given up, which comes behind the next attempt, is over and leaves the names of that one"
  )
  func staleAttempt() throws {
    let steps = RunSteps()
    #expect(try isNew(steps, "a") == true)
    #expect(try isNew(steps, "a", attempt: 2) == true)
    #expect(try isNew(steps, "b", attempt: 1) == nil)
    #expect(throws: StepError.self) { try isNew(steps, "a", attempt: 2) }
  }

  // Threads may do both at once: one part gets the slot again while another part begins to rest.
  @Test("T12: a slot that the run gets while a part of it begins to rest may be lacked again by the parts behind")
  func slotDuringRest() {
    let steps = RunSteps()
    #expect(steps.enter("a", .sleep, attempt: 1) == (beginsToRest: true, mayLackSlot: true))
    #expect(steps.partsToResume(hasSlot: true).isEmpty)
    #expect(steps.leave("a", .sleep, attempt: 1) == (beginsToRest: false, mayLackSlot: true))
    #expect(steps.partsToResume(hasSlot: true).isEmpty)
    #expect(steps.enter("b", .step, attempt: 1) == (beginsToRest: false, mayLackSlot: false))
  }

  @Test("T2: a step that comes behind the end of its run is over, whatever was stored of it")
  func afterTheEnd() throws {
    let steps = RunSteps([StoredStep("a", .step, .value([]))])
    #expect(steps.removeAll().isEmpty)
    #expect(try isNew(steps, "a") == nil)
    #expect(steps.unused.isEmpty)
  }

  @Test("T10: bytes that are released are free again, and those of restored results and payloads count")
  func bytes() throws {
    var limits = StepLimits()
    (limits.resultBytes, limits.runBytes) = (10, 20)
    let failure = StoredFailure(typeName: "A", message: "a long text", payload: [1, 2, 3, 4], code: nil)
    let steps = RunSteps([StoredStep("a", .step, .value([1, 2])), StoredStep("b", .step, .failure(failure))])
    #expect(throws: StepError.self) { try steps.reserve(11, for: "c", limits) }
    try steps.reserve(10, for: "c", limits)
    #expect(throws: StepError.self) { try steps.reserve(5, for: "d", limits) }
    steps.release(10)
    try steps.reserve(10, for: "d", limits)
    try steps.reserve(4, for: "e", limits)
    #expect(throws: StepError.self) { try steps.reserve(1, for: "f", limits) }
  }

  @Test("The rest until a wall time is at most a minute, and no time of a program or a file traps")
  func rest() {
    #expect(WallTime.rest(until: 5_000, 2_000) == .seconds(3))
    #expect(WallTime.rest(until: .max, .min) == .seconds(60))
    #expect(WallTime.rest(until: .min, .max) < .zero)
    #expect(WallTime.after(.nanoseconds(1), 7) == 8 && WallTime.after(.seconds(-1), 7) == 7)
    #expect(WallTime.after(.seconds(Int64.max), .max) > 1 << 61)
  }
}
