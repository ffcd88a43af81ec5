/// The time since an instant on some clock, whatever the clock's instants are.
struct Stopwatch: Sendable {
  private let reading: @Sendable () -> Duration
  private let sleeping: @Sendable (Duration) async throws -> Void

  /// Starts now.
  init(_ clock: any Clock<Duration>) {
    self.init(on: clock)
  }

  private init(on clock: some Clock<Duration>) {
    let start = clock.now
    reading = { start.duration(to: clock.now) }
    sleeping = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
  }

  var elapsed: Duration { reading() }

  /// Sleeps until so much has elapsed.
  ///
  /// - Throws: `CancellationError`.
  func sleep(until elapsed: Duration) async throws {
    try await sleeping(elapsed)
  }
}
