import Millrace

/// The service: a store, a schedule that sends it actions, and a reporter that writes its states.
struct MonitoringService: Sendable {
  /// What to watch, and for how long.
  struct Plan: Sendable, Equatable {
    var endpoints: [Endpoint] = []
    var rules: [AlertRule] = []
    /// The time between two rounds.
    var interval: Duration = .seconds(1)
    /// How long to go on; nil goes on until the stop is requested.
    var duration: Duration?
    /// Whether to end after one round.
    var isOnce = false
  }

  let plan: Plan
  let store: Store<PulseMonitor>
  let reporter: Reporter
  let stop: StopRequest
  let clock: any Clock<Duration>

  /// How long a reader who has stopped reading can hold up the end.
  private static let grace: Duration = .seconds(1)

  init(
    _ plan: Plan, machine: any MachineGateway, endpoints: any EndpointGateway, reporter: Reporter, stop: StopRequest,
    clock: any Clock<Duration>
  ) {
    self.plan = plan
    self.reporter = reporter
    self.stop = stop
    self.clock = clock
    store = Store(
      initial: PulseState(rules: plan.rules),
      interactor: PulseMonitor(machine: machine, endpoints: endpoints, stopwatch: Stopwatch(clock)),
      configuration: StoreConfiguration(clock: clock))
  }

  /// Runs until the work is done, the time is up, the stop is requested or the output is closed; then ends in order.
  ///
  /// Probes under way are cancelled and closed, so that the last state, which is always written, shows none of them.
  ///
  /// - Throws: ``OutputError``, when the output is closed or broken.
  func run() async throws {
    let reporting = Task {
      defer { stop.request() }
      try await reporter.report(store)
    }
    let working = Task {
      defer { stop.request() }
      try await work()
    }
    await stop.wait(atMost: plan.duration, on: clock)
    working.cancel()
    await store.shutdown()
    try await finish(reporting)
  }

  /// Sends a round of actions at each tick; a single round is waited for.
  private func work() async throws {
    let round = plan.endpoints.map { PulseMonitor.Action.probe($0) } + [.sample]
    var ticks = Ticks(every: plan.interval, on: clock)
    while true {
      try await ticks.next()
      let receipts = store.send(contentsOf: round)
      if plan.isOnce {
        _ = await receipts.outcomes
        return
      }
    }
  }

  /// Waits until the last state is written, but not for ever.
  private func finish(_ reporting: Task<Void, any Error>) async throws {
    do {
      try await withTimeout(Self.grace, on: clock) {
        try await withTaskCancellationHandler {
          try await reporting.value
        } onCancel: {
          reporting.cancel()
        }
      }
    } catch is TimeoutError {
      // The reader takes nothing; what it has not taken is lost with it.
      throw OutputError.closed
    }
  }
}
