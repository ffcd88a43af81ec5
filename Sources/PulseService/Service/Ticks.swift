/// Instants at equal distances on a clock, the first at once.
///
/// Those that were missed, because the machine was busy or asleep, are left out and not made up for.
struct Ticks {
  private let interval: Duration
  private let stopwatch: Stopwatch
  private var due: Duration?

  init(every interval: Duration, on clock: any Clock<Duration>) {
    self.interval = interval
    stopwatch = Stopwatch(clock)
  }

  /// Sleeps until the next instant.
  ///
  /// - Throws: `CancellationError`.
  mutating func next() async throws {
    guard var next = due else {
      due = interval
      return
    }
    let elapsed = stopwatch.elapsed
    if next <= elapsed {
      let missed = (elapsed - next).attoseconds / interval.attoseconds
      next += Duration(attoseconds: interval.attoseconds * (missed + 1))
    }
    due = next + interval
    try await stopwatch.sleep(until: next)
  }
}
