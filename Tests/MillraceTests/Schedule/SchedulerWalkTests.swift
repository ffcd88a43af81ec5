import Testing

@testable import Millrace

@Suite("Scheduler, walked at random", .timeLimit(.minutes(1)))
struct SchedulerWalkTests {
  @Test(
    "R1–R5, A1, T13: 4,000 random events behind 40 actions that are handled again keep the guarantees, and leave nothing behind",
    arguments: [1, 2, 3, 4, 5, 6, 7, 8], StoreConfiguration.Overflow.allCases)
  func randomEvents(seed: UInt64, policy: StoreConfiguration.Overflow) {
    var walk = SchedulerWalk(seed: seed, onOverflow: policy)
    walk.restore(40)
    for _ in 0..<4_000 where walk.broken == nil { walk.step() }
    if walk.broken == nil { walk.finish() }
    #expect(walk.broken == nil)
    for kind in [Outcome.Kind.finished, .failed, .cancelled, .superseded, .timedOut, .rejected] {
      #expect(walk.settled[kind, default: 0] > 0, "The walk meets every end.")
    }
  }
}
