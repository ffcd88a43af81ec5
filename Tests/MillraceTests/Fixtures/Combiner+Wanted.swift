import Testing

@testable import Millrace

extension Combiner {
  /// Keeps this thread, inside a step, until another one has registered an urgent step; fails after a minute.
  ///
  /// The other thread cannot tell of that itself, because it waits for its step from then on.
  func waitUntilWanted() {
    let limit = ContinuousClock.now + .seconds(60)
    while !isWanted {
      if ContinuousClock.now > limit {
        Issue.record("No thread registered an urgent step; start one that does before this wait.")
        return
      }
    }
  }
}
