/// The time since an instant on some clock, whatever the clock's instants are.
struct Stopwatch: Sendable {
  private let reading: @Sendable () -> Duration

  /// Starts now.
  init(_ clock: any Clock<Duration>) {
    func start(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
      let start = clock.now
      return { start.duration(to: clock.now) }
    }
    reading = start(clock)
  }

  var elapsed: Duration { reading() }
}
