extension Task where Success == Void, Failure == any Error {
  /// Waits for the task's end, and cancels the task when it takes longer than `limit`.
  ///
  /// It returns when the task has ended, so that the task has to heed its cancellation.
  ///
  /// - Throws: what the task throws.
  func value(within limit: Duration, on clock: any Clock<Duration>) async throws {
    let guardian = Task {
      try await clock.sleep(for: limit)
      cancel()
    }
    defer { guardian.cancel() }
    try await value
  }
}
