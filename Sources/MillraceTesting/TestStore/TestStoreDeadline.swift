/// The deadline of one call of a test store, by any clock.
struct TestStoreDeadline: Sendable {
  private let hasPassed: @Sendable () -> Bool
  private let sleep: @Sendable () async throws -> Void

  /// A deadline this long from now.
  init(in limit: Duration, on clock: any Clock<Duration>) {
    self = Self.opened(limit, clock)
  }

  private init(hasPassed: @escaping @Sendable () -> Bool, sleep: @escaping @Sendable () async throws -> Void) {
    self.hasPassed = hasPassed
    self.sleep = sleep
  }

  private static func opened<C: Clock<Duration>>(_ limit: Duration, _ clock: C) -> Self {
    let end = clock.now.advanced(by: limit)
    return Self {
      clock.now >= end
    } sleep: {
      try await clock.sleep(until: end, tolerance: nil)
    }
  }

  /// Whether it is over now.
  var isOver: Bool { hasPassed() }

  /// Sleeps until it is over.
  ///
  /// - Throws: what the clock throws, which is for the cancellation of the task.
  func wait() async throws { try await sleep() }
}
