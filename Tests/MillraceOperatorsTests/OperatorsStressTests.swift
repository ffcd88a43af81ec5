import MillraceOperators
import MillraceTesting
import Testing

@Suite("Operators under stress", .timeLimit(.minutes(2)))
struct OperatorsStressTests {
  private typealias Joined = DerivedSequence<Int, any Error>

  /// All operators in one sequence, over bases some of which never end by themselves.
  private func joined(_ taps: [Tap<Int>], clock: TestClock) -> Joined {
    let sums = combineLatest(taps[0], taps[1].throttle(for: .seconds(1), clock: clock)).map { $0 + $1 }
    return merge(sums, taps[2].debounce(for: .seconds(1), clock: clock), taps[3].removeDuplicates())
  }

  @Test(
    "8 tasks read, feed, end, fail and cancel at random: each loop ends, and every base is released", arguments: 1...4)
  func everythingEnds(seed: UInt64) async throws {
    try await withThrowingTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          var random = SeededGenerator(seed: seed * 8 + UInt64(task))
          for _ in 0..<25 { try await round(&random) }
        }
      }
      try await group.waitForAll()
    }
  }

  private func round(_ random: inout SeededGenerator) async throws {
    let clock = TestClock()
    let taps = (0..<4).map { _ in Tap<Int>() }
    let joined = joined(taps, clock: clock)
    let patience = Int.random(in: 0...5, using: &random)
    let elements = Recorder<Int>()
    let consumer = Task {
      var count = 0
      for try await element in joined {
        elements.record(element)
        count += 1
        if count > patience { break }
      }
    }
    if Bool.random(using: &random) {
      // So that it is not always cancelled before anything was read.
      try await taps[3].asks.next()
    }
    for number in 0..<Int.random(in: 0...40, using: &random) {
      let tap = taps[Int.random(in: 0..<4, using: &random)]
      switch Int.random(in: 0..<20, using: &random) {
      case 0: tap.finish()
      case 1: tap.finish(throwing: Mishap())
      case 2...5: clock.advance(by: .seconds(1))
      default: tap.offer([number])
      }
    }
    consumer.cancel()
    _ = await consumer.result
    // A base whose task never ran has no iterator; the iterator of each other base has to be released.
    for tap in taps where !tap.asks.recorded.isEmpty { try await tap.gone.enter() }
  }
}
