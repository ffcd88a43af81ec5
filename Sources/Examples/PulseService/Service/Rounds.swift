/// The times at which this machine is sampled and endpoints are probed, counted from the first round.
///
/// A round samples this machine and probes the endpoints without an interval of their own; each other endpoint has times of its own.
/// Times that were missed, because the machine was busy or asleep, are left out and not made up for.
struct Rounds {
  /// The actions that are due.
  struct Due: Equatable {
    /// Whether a round is due.
    var isRound: Bool
    /// The endpoints to probe.
    var endpoints: [Endpoint] = []
  }

  private let interval: Duration
  /// The time of the next round.
  private var round: Duration = .zero
  /// The newest times at which endpoints with an interval of their own were due.
  private var times: [Endpoint: Duration] = [:]
  /// The time at which something is due next, if the endpoints stay what they are.
  private(set) var next: Duration = .zero

  init(every interval: Duration) {
    self.interval = interval
  }

  /// The actions that are due at a time, after which ``next`` is later.
  ///
  /// An endpoint with an interval of its own is due when it is first seen.
  mutating func due(of endpoints: [Endpoint], at time: Duration) -> Due {
    var due = Due(isRound: time >= round)
    let start = due.isRound ? Self.newest(from: round, every: interval, at: time) : time
    if due.isRound { round = start + interval }
    next = round
    var times: [Endpoint: Duration] = [:]
    for endpoint in endpoints {
      guard let own = endpoint.interval else {
        if due.isRound { due.endpoints.append(endpoint) }
        continue
      }
      var last = self.times[endpoint] ?? start
      if self.times[endpoint] == nil || last + own <= time {
        due.endpoints.append(endpoint)
        last = Self.newest(from: last, every: own, at: time)
      }
      times[endpoint] = last
      next = min(next, last + own)
    }
    self.times = times
    return due
  }

  /// The newest of the times that are an interval apart, the first of them included.
  private static func newest(from first: Duration, every interval: Duration, at time: Duration) -> Duration {
    let count = (time - first).attoseconds / interval.attoseconds
    return first + Duration(attoseconds: interval.attoseconds * count)
  }
}

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

extension Task where Success == Void, Failure == any Error {
  /// Waits for the task's end, and cancels the task when it takes longer than `limit`.
  ///
  /// It returns when the task has ended, so that the task has to heed its cancellation.
  ///
  /// - Throws: the error of the task.
  func value(within limit: Duration, on clock: any Clock<Duration>) async throws {
    let guardian = Task {
      try await clock.sleep(for: limit)
      cancel()
    }
    defer { guardian.cancel() }
    try await value
  }
}
