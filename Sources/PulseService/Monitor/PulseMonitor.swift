import Millrace

/// The interactor: samples the machine, probes endpoints.
///
/// It holds gateways and a stopwatch; all that it knows stands in ``PulseState``.
struct PulseMonitor: Interactor {
  /// What can be asked for.
  enum Action: Sendable, Equatable {
    /// One sample of this machine.
    case sample
    /// One probe of an endpoint.
    case probe(Endpoint)
  }

  /// How long the gateways may take, and how far the first two readings lie apart.
  struct Limits: Sendable {
    var reading: Duration = .seconds(1)
    var probe: Duration = .seconds(2)
    /// The counters of the processors tick a hundred times a second: long enough to tell, short enough to wait for.
    var firstSample: Duration = .milliseconds(100)
  }

  let machine: any MachineGateway
  let endpoints: any EndpointGateway
  /// Counts the time since the start of the service.
  let stopwatch: Stopwatch
  var limits = Limits()

  static func reduce(into state: inout PulseState, mutation: PulseMutation) {
    state.apply(mutation)
  }

  /// Marks what begins, and leaves out what is already under way: an endpoint that hangs for longer than the time between
  /// two probes is probed once, not again and again.
  func decide(_ action: Action, state: PulseState) -> Decision<PulseMutation> {
    switch action {
    case .sample:
      state.machine.isSampling ? .ignore : .mutate(.sampling, thenHandle: true)
    case .probe(let endpoint):
      state.target(endpoint)?.isProbing == true ? .ignore : .mutate(.probing(endpoint), thenHandle: true)
    }
  }

  func handle(_ action: Action, state: PulseState) async -> Effect<Self> {
    switch action {
    case .sample: sample(isFirst: state.machine.reading == nil)
    case .probe(let endpoint): probe(endpoint)
    }
  }

  /// Ends what was marked as begun: a failure is shown with its reason, what was cancelled leaves no trace.
  func closing(_ action: Action, outcome: Outcome) -> PulseMutation? {
    switch (action, outcome) {
    // Decided without a run: an action that is rejected has marked nothing.
    case (_, .finished), (_, .rejected): nil
    case (.sample, .failed(let error)): .sampleFailed(reason: "\(error)")
    case (.sample, .timedOut): .sampleFailed(reason: "timed out")
    case (.sample, .cancelled), (.sample, .superseded), (.sample, .shutDown), (.sample, .abandoned): .sampled
    case (.probe(let endpoint), .failed(let error)):
      .probed(endpoint, .down(reason: "\(error)"), at: stopwatch.elapsed)
    case (.probe(let endpoint), .timedOut): .probed(endpoint, .down(reason: "timed out"), at: stopwatch.elapsed)
    case (.probe(let endpoint), .cancelled), (.probe(let endpoint), .superseded), (.probe(let endpoint), .shutDown),
      (.probe(let endpoint), .abandoned):
      .probeEnded(endpoint)
    }
  }

  /// Reads the counters; a single reading says nothing about the processors, so that the first is followed by a second.
  private func sample(isFirst: Bool) -> Effect<Self> {
    Effect { run in
      if isFirst {
        run.emit(try await read(run.clock))
        try await run.clock.sleep(for: limits.firstSample)
      }
      run.emit(try await read(run.clock))
      run.emit(.sampled)
    }
  }

  private func read(_ clock: any Clock<Duration>) async throws -> PulseMutation {
    let reading = try await withTimeout(limits.reading, on: clock) { try await machine.read() }
    return .read(reading, at: stopwatch.elapsed)
  }

  /// Probes an endpoint; one that does not answer is an error out of the effect, which ``closing(_:outcome:)`` shows.
  private func probe(_ endpoint: Endpoint) -> Effect<Self> {
    Effect { run in
      let start = stopwatch.elapsed
      try await withTimeout(limits.probe, on: run.clock) { try await endpoints.probe(endpoint) }
      let end = stopwatch.elapsed
      run.emit(.probed(endpoint, .up(latency: end - start), at: end))
    }
  }
}
