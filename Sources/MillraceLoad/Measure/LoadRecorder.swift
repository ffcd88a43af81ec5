import Millrace

/// The tally of a run, for all the threads that add to it.
final class LoadRecorder: Sendable {
  private let tally: Lock<LoadTally>

  init(duration: Duration) {
    tally = Lock(LoadTally(duration: duration))
  }

  /// Adds to the tally in one step, and reads the process when a slice has ended.
  func add(at now: Int64, _ change: (inout sending LoadTally) -> Void) {
    let needsReading = tally.withLock { tally in
      change(&tally)
      return tally.needsReading(at: now)
    }
    guard needsReading else { return }
    let reading = ProcessReading.now
    tally.withLock { $0.add(reading, at: now) }
  }

  /// The tally so far.
  var figures: LoadTally { tally.withLock { $0 } }
}
