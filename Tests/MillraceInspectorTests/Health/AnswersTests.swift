import MillraceTesting
import Testing

@testable import MillraceInspector

@Suite("Answers to questions that are asked side by side", .timeLimit(.minutes(1)))
struct AnswersTests {
  // The caller waited for ever if the time was over before it waited.
  @Test("An answer that does not come is left out, also if the time is over before the caller waits")
  func over() async {
    let gate = Gate()
    let question: @Sendable () async -> Void = { await gate.enterIgnoringCancellation() }
    // The timer runs on another thread, so that it is first now and then.
    for _ in 0..<5_000 {
      let answers = await Answers.collect(within: .seconds(1), InstantClock(), [question])
      #expect(answers.count == 1)
    }
    gate.open()
  }

  @Test("Answers are in the order of their questions, and without a question there is no answer")
  func order() async {
    let questions: [@Sendable () async -> Int] = (0..<20).map { number in { number } }
    let answers = await Answers.collect(within: .seconds(60), ContinuousClock(), questions)
    #expect(answers == (0..<20).map { Optional($0) })
    #expect(await Answers<Int>.collect(within: .zero, ContinuousClock(), []).isEmpty)
  }
}

/// A clock on which each sleep is over at once, without a suspension.
private struct InstantClock: Clock {
  typealias Instant = ContinuousClock.Instant

  var now: Instant { ContinuousClock.now }
  let minimumResolution = Duration.nanoseconds(1)

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
}
