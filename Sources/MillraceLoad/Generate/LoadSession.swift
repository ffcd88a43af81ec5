import Millrace

/// The users of a scenario, and the runs they are used for.
struct LoadSession: Sendable {
  let scenario: LoadScenario
  private let targets: [any LoadTarget]
  private let time: TimeSource
  private let isRealTime: Bool
  private let generatorCost: Double

  /// Makes the users.
  ///
  /// - Throws: what the scenario throws when it makes one; those made before are closed.
  init(_ scenario: LoadScenario, _ options: LoadOptions) async throws {
    var targets: [any LoadTarget] = []
    do {
      for user in 0..<max(options.users ?? scenario.users, 1) {
        targets.append(try await scenario.makeUser(user, options.seed))
      }
    } catch {
      for target in targets { await target.close() }
      throw error
    }
    self.scenario = scenario
    self.targets = targets
    time = TimeSource(options.clock)
    isRealTime = options.clock is ContinuousClock
    generatorCost = isRealTime ? GeneratorCost.measured() : 0
  }

  /// Sends the requests of one run, and returns its figures when those in flight have ended or the drain is over.
  ///
  /// A rate that is a multiple of the capacity makes it measure the capacity first. Cancelling the calling task ends the run early: nothing
  /// more is sent, and requests in flight are not waited for.
  ///
  /// - Parameters:
  ///   - options: how the run goes.
  ///   - watch: gets a function that reads the figures so far, before the first request is sent.
  func run(
    _ options: LoadOptions, watch: (@escaping @Sendable () -> LoadProgress) -> Void = { _ in }
  ) async -> LoadReport {
    guard case .open(let given) = options.mode else { return await measure(options, nil, watch) }
    var (schedule, capacity) = (given, nil as Double?)
    switch (given, scenario.rate) {
    case (.some, _): break
    case (nil, .perSecond(let rate)): schedule = .constant(rate)
    case (nil, .timesCapacity(let factor, let concurrency)):
      let found = await measureCapacity(options, concurrency: concurrency)
      capacity = found
      schedule = .constant(factor * found)
    }
    var report = await measure(options, schedule, watch)
    report.capacity = capacity
    return report
  }

  /// The throughput of a closed loop, over a fifth of the run's duration and at most three seconds.
  private func measureCapacity(_ options: LoadOptions, concurrency: Int) async -> Double {
    var closed = options
    closed.mode = .closed(concurrency: concurrency)
    closed.duration = min(options.duration / 5, .seconds(3))
    closed.warmUp = closed.duration / 4
    return max(await measure(closed, nil, { _ in }).throughput, 1)
  }

  private func measure(
    _ options: LoadOptions, _ schedule: LoadSchedule?, _ watch: (@escaping @Sendable () -> LoadProgress) -> Void
  ) async -> LoadReport {
    let sender = RequestSender(
      targets: targets, recorder: LoadRecorder(duration: options.duration),
      inFlight: InFlight(maximum: options.maximumInFlight), time: time,
      origin: time.now() + options.warmUp.nanoseconds)
    watch { LoadProgress(figures: sender.recorder.figures, elapsed: .nanoseconds(sender.now)) }
    let end = options.duration.nanoseconds
    var groupSize = 1
    if let schedule {
      groupSize = GeneratorCost.groupSize(at: schedule.peak, cost: generatorCost)
      await send(OpenLoop(sender, schedule, options, groupSize: groupSize), sender)
    } else if case .closed(let concurrency, let thinkTime) = options.mode {
      ClosedLoop(sender: sender, concurrency: concurrency ?? targets.count, thinkTime: thinkTime, end: end).begin()
    }
    try? await time.sleep(until: sender.origin + end)
    let elapsed = max(min(sender.now, end), 0)
    await waitUntilIdle(sender.inFlight, limit: options.drain)
    // Read before the rest is cancelled, so that it counts as in flight.
    let figures = sender.recorder.figures
    sender.inFlight.cancelAll()
    return LoadReport(
      scenario: scenario.name, options: options, schedule: schedule, elapsed: .nanoseconds(elapsed),
      isCut: elapsed < end, figures: figures, measuredOneOf: groupSize)
  }

  /// Closes the users; requests in flight are cancelled.
  func close() async {
    await withDiscardingTaskGroup { group in
      for target in targets { group.addTask { await target.close() } }
    }
  }

  private func send(_ loop: OpenLoop, _ sender: RequestSender) async {
    guard !isRealTime else { return await GeneratorThread.run(loop) { sender.now } }
    var loop = loop
    while case .wait(let due) = loop.step(isStopped: { Task.isCancelled }) {
      try? await time.sleep(until: sender.origin + due)
    }
  }

  private func waitUntilIdle(_ inFlight: InFlight, limit: Duration) async {
    await withTaskGroup { group in
      group.addTask { await inFlight.waitUntilIdle() }
      group.addTask { try? await time.sleep(until: time.now() + limit.nanoseconds) }
      await group.next()
      group.cancelAll()
    }
  }
}

/// The figures of a run that is under way.
struct LoadProgress: Sendable {
  let figures: LoadTally
  /// The time since the start of the measured part; negative in the warm-up.
  let elapsed: Duration
}
