import Testing

@testable import Millrace

@Suite("SchedulerScaleTests", .serialized, .timeLimit(.minutes(5)))
struct SchedulerScaleTests {
  @Test(
    "R1–R5, A1: 10,000,000 random events keep the guarantees, and leave nothing behind",
    arguments: [StoreConfiguration.Overflow.reject, .dropOldest, .dropNewest])
  func randomEvents(policy: StoreConfiguration.Overflow) {
    for seed in 1...10 as ClosedRange<UInt64> {
      var walk = SchedulerWalk(seed: seed, onOverflow: policy)
      for _ in 0..<scaled(1_000_000 / 3) where walk.broken == nil { walk.step() }
      if walk.broken == nil { walk.finish() }
      #expect(walk.broken == nil, "seed \(seed)")
    }
  }
}
