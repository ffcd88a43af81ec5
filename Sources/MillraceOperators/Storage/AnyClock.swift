/// A clock of any kind, as the time since a point of its own.
struct AnyClock: Sendable {
  /// The time now.
  let now: @Sendable () -> Duration
  /// Returns at a time, or when the task is cancelled.
  let sleep: @Sendable (_ until: Duration) async -> Void

  /// A clock whose time counts from now on.
  init(_ clock: some Clock<Duration>) {
    let origin = clock.now
    now = { origin.duration(to: clock.now) }
    // A sleep fails when its task is cancelled; the state that it would wake is closed by then.
    sleep = { until in try? await clock.sleep(until: origin.advanced(by: until), tolerance: nil) }
  }

  private init() {
    now = { .zero }
    sleep = { _ in }
  }

  /// For what sets no alarm: no clock is read.
  static var none: AnyClock { AnyClock() }
}
