public import Millrace

extension StoreConfiguration {
  /// Creates a configuration whose incidents belong to a test, and are not printed to standard error.
  ///
  /// ```swift
  /// let incidents = Recorder<Incident>()
  /// let store = Store(initial: .init(), interactor: records, configuration: .testing(incidents: incidents))
  /// _ = await store.send(.reload).outcome
  /// #expect(incidents.recorded.map(\.kind) == [.unhandledFailure])
  /// ```
  ///
  /// Without a recorder, each incident fails the test in which the configuration was made, at this line: a test that expects
  /// no incident needs no assertion.
  ///
  /// **Order and isolation.** The thread that meets an incident records it, or fails the test, before the store continues.
  /// Incidents of several threads come in any order. The recorder keeps all of them, also incidents that come when the test has
  /// ended. Those that come then without a recorder are reported as the failures of any fake are.
  ///
  /// - Parameters:
  ///   - incidents: the recorder of the incidents; nil if there are to be none.
  ///   - clock: the clock that everything timed in the store goes by; nil for a `ContinuousClock`.
  ///   - random: the source of jitter and idempotency keys; nil for the source of the system.
  ///   - limits: the limits of the store; nil for the defaults.
  ///   - handlersStart: the thread on which handlers start; nil for the sender's.
  ///   - wallTime: the wall time in milliseconds since 1970; nil for that of the clock, or of the system.
  ///   - file: the file of failures.
  ///   - line: the line of failures.
  public static func testing(
    incidents: Recorder<Incident>? = nil, clock: (any Clock<Duration>)? = nil,
    random: (any RandomNumberGenerator & Sendable)? = nil, limits: Limits? = nil, handlersStart: HandlerStart? = nil,
    wallTime: (@Sendable () -> Int64)? = nil,
    file: StaticString = #filePath, line: UInt = #line
  ) -> StoreConfiguration {
    var configuration = StoreConfiguration(
      clock: clock, random: random, limits: limits, handlersStart: handlersStart, wallTime: wallTime)
    if let incidents {
      configuration.report = { incidents.record($0) }
    } else {
      let reporter = FailureReporter()
      configuration.report = { incident in
        reporter.fail(
          """
          A store of this test reported an incident (\(incident.kind)): \(incident) Mend its cause, or expect it: make the \
          configuration with testing(incidents:), and assert what the recorder has.
          """, file: file, line: line)
      }
    }
    return configuration
  }
}
