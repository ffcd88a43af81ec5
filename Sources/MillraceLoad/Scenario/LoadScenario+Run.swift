extension LoadScenario {
  /// Runs this scenario once, and returns its figures.
  ///
  /// It makes the users, sends requests for the warm-up and the measured part, waits for those in flight, and closes the users.
  ///
  /// ```swift
  /// let report = try await carts.run(LoadOptions(.schedule(.poisson(500)), duration: .seconds(2)))
  /// #expect(report.latency.p99 <= report.latency.p50 * 3)
  /// ```
  ///
  /// **Cancellation** of the calling task ends the run early: nothing more is sent, requests in flight are not waited for, and the
  /// report covers the time until then.
  ///
  /// - Parameter options: how many requests, for how long, by how many users.
  /// - Throws: ``LoadError`` for options that no run can have, and what the scenario throws when it makes a user. Requests that
  ///   fail are counted, and no error.
  @concurrent
  public func run(_ options: LoadOptions = LoadOptions()) async throws -> LoadReport {
    try options.check(for: self)
    let session = try await LoadSession(self, options)
    let report = await session.run(options)
    await session.close()
    return report
  }
}
