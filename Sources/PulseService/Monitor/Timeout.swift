import Foundation

/// Runs `work`, and cancels it when it takes longer than `limit`.
///
/// It returns when `work` has: a gateway that ignored its cancellation would go on for ever, which gateways promise not to.
///
/// - Throws: ``TimeoutError`` when time was up; otherwise what `work` throws.
func withTimeout<Value: Sendable>(
  _ limit: Duration, on clock: any Clock<Duration>, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withThrowingTaskGroup(of: Value.self) { group in
    defer { group.cancelAll() }
    group.addTask { try await work() }
    group.addTask {
      try await clock.sleep(for: limit)
      throw TimeoutError(limit: limit)
    }
    // Two children were added, so that there is a first to end.
    return try await group.next()!
  }
}

/// Something took longer than it may.
struct TimeoutError: Error, Equatable, CustomStringConvertible {
  let limit: Duration

  var description: String {
    "no answer within \((limit / .seconds(1)).formatted()) s"
  }
}
