import Foundation
import Millrace
import Synchronization

/// The users of a scenario, and the runs they are used for.
struct LoadSession: Sendable {
  let scenario: LoadScenario
  private let targets: [any LoadTarget]
  private let time: TimeSource
  private let isRealTime: Bool
  private let generatorCost: Double

  /// Creates the users.
  ///
  /// - Throws: the error of the scenario when it makes one; those made before are closed.
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
  ///   - options: the rate, the duration and the users of the run.
  ///   - watch: gets a function that reads the figures so far, before the first request is sent.
  /// - Throws: a sentence when the rate is a multiple of the capacity and no request finished while that was measured; the users are
  ///   closed then.
  func run(
    _ options: LoadOptions, watch: (@escaping @Sendable () -> LoadProgress) -> Void = { _ in }
  ) async throws(LoadError) -> LoadReport {
    guard case .open(let given) = options.mode else { return await measure(options, nil, watch) }
    var (schedule, capacity) = (given, nil as Double?)
    switch (given, scenario.rate) {
    case (.some, _): break
    case (nil, .perSecond(let rate)): schedule = .constant(rate)
    case (nil, .timesCapacity(let factor, let concurrency)):
      let found = try await measureCapacity(options, concurrency: concurrency)
      capacity = found
      schedule = .constant(factor * found)
    }
    var report = await measure(options, schedule, watch)
    report.capacity = capacity
    return report
  }

  /// The throughput of a closed loop, over a fifth of the run's duration and at most three seconds.
  private func measureCapacity(_ options: LoadOptions, concurrency: Int) async throws(LoadError) -> Double {
    var closed = options
    closed.mode = .closed(concurrency: concurrency)
    closed.duration = min(options.duration / 5, .seconds(3))
    closed.warmUp = closed.duration / 4
    let report = await measure(closed, nil, { _ in })
    if report.throughput > 0 { return report.throughput }
    // A run that was cancelled meanwhile sends nothing more, so that its rate has no effect.
    if report.isCut { return 1 }
    await close()
    throw LoadError(
      """
      The capacity of \(scenario.name) is unknown: with \(Figures.count(concurrency, "client")) no request finished within \
      \(closed.duration); give the run a longer duration, or a rate in requests a second.
      """)
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
    var report = LoadReport(
      scenario: scenario.name, options: resolved(options), schedule: schedule, elapsed: .nanoseconds(elapsed),
      isCut: elapsed < end, figures: figures, measuredOneOf: groupSize)
    report.figures = targets.flatMap(\.figures)
    return report
  }

  /// The options with the number of users, and of the clients of a closed loop, that there are.
  func resolved(_ options: LoadOptions) -> LoadOptions {
    var options = options
    options.users = targets.count
    if case .closed(let concurrency, let thinkTime) = options.mode {
      options.mode = .closed(concurrency: concurrency ?? targets.count, thinkTime: thinkTime)
    }
    return options
  }

  /// The stores of the first users, each with a name: that of the scenario, with the number of the user and that of the store where there
  /// are several.
  func stores(atMost limit: Int) -> [(name: String, store: any LoadedStore)] {
    var stores: [(name: String, store: any LoadedStore)] = []
    for (user, target) in targets.enumerated() where stores.count < limit {
      let own = target.stores
      for (index, store) in own.enumerated() {
        let numbers = (targets.count > 1 ? "-\(user)" : "") + (own.count > 1 ? "-\(index)" : "")
        stores.append((scenario.name + numbers, store))
      }
    }
    return Array(stores.prefix(limit))
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

/// Runs an open loop in real time, on a thread of its own: it takes no thread from the pool that serves the requests.
enum GeneratorThread {
  /// The time before a request is due in which the thread spins, in nanoseconds: a sleeping thread wakes up to 60 µs late.
  private static let spinning: Int64 = 100_000

  /// The longest sleep, after which the thread sees that the run was cancelled; in nanoseconds.
  private static let longestSleep: Int64 = 20_000_000

  /// Returns when all requests were sent, or soon after the calling task was cancelled.
  static func run(_ loop: OpenLoop, now: @escaping @Sendable () -> Int64) async {
    let isStopped = StopFlag()
    await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        Thread.detachNewThread {
          var loop = loop
          while case .wait(let due) = loop.step(isStopped: { isStopped.isSet }) {
            while !isStopped.isSet, case let left = due - now(), left > 0 {
              guard left > spinning else { continue }
              sleep(min(left - spinning, longestSleep))
            }
          }
          continuation.resume()
        }
      }
    } onCancel: {
      isStopped.set()
    }
  }

  private static func sleep(_ nanoseconds: Int64) {
    var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    nanosleep(&time, nil)
  }
}

/// Set once, by any thread.
private final class StopFlag: Sendable {
  private let flag = Atomic(false)

  var isSet: Bool { flag.load(ordering: .acquiring) }

  func set() {
    flag.store(true, ordering: .releasing)
  }
}

/// The time that sending and measuring one request takes, without the system's part of it.
enum GeneratorCost {
  /// A user whose requests end at once.
  private struct Idle: LoadTarget {
    func begin(_ request: LoadRequest) -> LoadStart { .ended(.finished) }
    func close() async {}
  }

  /// Nanoseconds a request, measured on this machine: the least of five rounds.
  static func measured() -> Double {
    (0..<5).map { _ in
      let time = TimeSource(ContinuousClock())
      let options = LoadOptions(duration: .milliseconds(1))
      // All are due at once, so that the loop never waits.
      let sender = RequestSender(
        targets: [Idle()], recorder: LoadRecorder(duration: options.duration), inFlight: InFlight(maximum: 1),
        time: time, origin: time.now() - options.duration.nanoseconds)
      var loop = OpenLoop(sender, .constant(2_000_000), options, groupSize: 1)
      let start = time.now()
      _ = loop.step { false }
      return Double(time.now() - start) / 2_000
    }.min() ?? 0
  }

  /// The number of requests of which the latency of one is measured, so that measuring takes at most half of the time there is.
  static func groupSize(at rate: Double, cost: Double) -> Int {
    max(1, Int((2 * rate * cost / 1e9).rounded(.up)))
  }
}
