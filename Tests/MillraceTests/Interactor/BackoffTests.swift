import MillraceTesting
import Testing

@testable import Millrace

@Suite("Backoff")
struct BackoffTests {
  @Test(
    "Rests grow by the factor, up to the maximum",
    arguments: [
      (
        Plan.Backoff.exponential(initial: .milliseconds(100), factor: 2, maximum: .seconds(1)),
        [100, 200, 400, 800, 1_000]
      ),
      (.exponential(initial: .milliseconds(100), factor: 3, maximum: .seconds(1)), [100, 300, 900, 1_000, 1_000]),
      (.exponential(initial: .milliseconds(100), factor: 1.5, maximum: .seconds(1)), [100, 150, 225, 337.5, 506.25]),
      (.exponential(initial: .milliseconds(100), factor: 1, maximum: .seconds(1)), [100, 100, 100, 100, 100]),
      (.exponential(initial: .seconds(1), factor: 2, maximum: .seconds(1)), [1_000, 1_000, 1_000, 1_000, 1_000]),
      (.exponential(initial: .zero, factor: 2, maximum: .seconds(1)), [0, 0, 0, 0, 0]),
      (.exponential(), [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]),
      (.constant(.milliseconds(7)), [7, 7, 7, 7, 7]),
      (.none, [0, 0, 0, 0, 0]),
    ])
  func restsGrow(backoff: Plan.Backoff, milliseconds: [Double]) {
    let rests = milliseconds.indices.map { backoff.delay(after: $0 + 1) }
    #expect(rests == milliseconds.map { .microseconds(Int($0 * 1_000)) })
  }

  @Test("A late attempt rests for the maximum, and does not overflow", arguments: [60, 1_000_000])
  func aLateAttempt(attempt: Int) {
    #expect(Plan.Backoff.exponential().delay(after: attempt) == .seconds(30))
    let longest = Plan.Backoff.exponential(initial: .seconds(1), factor: 10, maximum: .seconds(Int64.max))
    #expect(longest.delay(after: attempt) == .seconds(Int64.max))
  }

  @Test("A factor that no rest can be multiplied by makes the next rest the maximum", arguments: [1e300, .infinity])
  func aHugeFactor(factor: Double) {
    let backoff = Plan.Backoff.exponential(initial: .seconds(1), factor: factor, maximum: .seconds(30))
    #expect((1...3).map { backoff.delay(after: $0) } == [.seconds(1), .seconds(30), .seconds(30)])
  }

  @Test("An attempt before the first rests as after the first", arguments: [Int.min, -1, 0])
  func anAttemptBeforeTheFirst(attempt: Int) {
    #expect(Plan.Backoff.exponential().delay(after: attempt) == .milliseconds(100))
  }

  @Test("Jitter takes away at most its part of the delay, and never adds", arguments: [0.1, 0.5, 1])
  func jitterTakesAway(jitter: Double) {
    var random = SeededGenerator(seed: 1)
    let backoff = Plan.Backoff.constant(.seconds(1))
    let rests = (0..<1_000).map { _ in backoff.delay(after: 1, jitter: jitter, random: &random) }
    let least = Duration.seconds(1) * (1 - jitter)
    #expect(rests.allSatisfy { $0 >= least && $0 <= .seconds(1) })
    // All of that part is used.
    let part = Duration.seconds(1) * jitter
    #expect(rests.contains { $0 < least + part * 0.05 })
    #expect(rests.contains { $0 > .seconds(1) - part * 0.05 })
    // And evenly.
    let mean = rests.reduce(.zero, +) / 1_000
    #expect(mean > least + part * 0.45 && mean < least + part * 0.55)
  }

  @Test("Jitter adds to the delay that an error asks for, at most its part of the delay, and never takes away")
  func jitterAdds() {
    var random = SeededGenerator(seed: 1)
    let backoff = Plan.Backoff.constant(.seconds(4))
    let rests = (0..<1_000).map { _ in backoff.delay(after: 1, asked: .seconds(60), jitter: 0.5, random: &random) }
    #expect(rests.allSatisfy { $0 >= .seconds(60) && $0 < .seconds(62) })
    #expect(rests.contains { $0 < .seconds(60.1) } && rests.contains { $0 > .seconds(61.9) })
  }

  @Test(
    "Without jitter the rest is the delay that an error asks for, however long, and nothing is drawn",
    arguments: [
      (Duration.seconds(60), Duration.seconds(60)), (.milliseconds(1), .milliseconds(1)), (.zero, .zero),
      (.seconds(-9), .zero), (.seconds(Int64.max), .nanoseconds(Int64.max / 4)),
    ])
  func theDelayOfAnError(delay: Duration, rest: Duration) {
    var random = SeededGenerator(seed: 1)
    #expect(Plan.Backoff.exponential().delay(after: 3, asked: delay, jitter: 0, random: &random) == rest)
    #expect(Plan.Backoff.none.delay(after: 3, asked: delay, jitter: 1, random: &random) == rest)
    var fresh = SeededGenerator(seed: 1)
    #expect(random.next() == fresh.next())
  }

  @Test("Without jitter, and without a rest, nothing is drawn")
  func nothingIsDrawn() {
    var random = SeededGenerator(seed: 1)
    #expect(Plan.Backoff.constant(.seconds(1)).delay(after: 1, jitter: 0, random: &random) == .seconds(1))
    #expect(Plan.Backoff.none.delay(after: 1, jitter: 1, random: &random) == .zero)
    var fresh = SeededGenerator(seed: 1)
    #expect(random.next() == fresh.next())
  }

  @Test("Jitter is drawn from the given source: the same seed, the same rests")
  func jitterIsDrawn() {
    func rests(seed: UInt64) -> [Duration] {
      var random = SeededGenerator(seed: seed)
      return (1...20).map { Plan.Backoff.exponential().delay(after: $0, jitter: 0.5, random: &random) }
    }
    #expect(rests(seed: 1) == rests(seed: 1))
    #expect(rests(seed: 1) != rests(seed: 2))
  }
}
