/// The options of a load run: when requests are sent, for how long, and by how many users.
public struct LoadOptions: Sendable {
  /// A way to decide when requests are sent.
  public enum Mode: Sendable {
    /// The times of a schedule, whatever the system does; without one, the scenario's rate, evenly spaced.
    case open(LoadSchedule? = nil)

    /// One request after the other: each of `concurrency` clients, by default one a user, waits for the end of its request and then
    /// for `thinkTime`.
    ///
    /// A system that slows down is sent fewer requests, so that its latencies look better than those of independent clients
    /// would be (coordinated omission). Use it to compare, or to find the throughput of a system that is always busy.
    case closed(concurrency: Int? = nil, thinkTime: Duration = .zero)
  }

  /// The way to decide when requests are sent.
  public var mode: Mode

  /// The length of the measured part.
  public var duration: Duration

  /// The time before it, in which requests are sent and not counted.
  ///
  /// A schedule's warm-up sends at the rate with which the schedule begins.
  public var warmUp: Duration

  /// The longest time the run waits, at its end, for requests that have not ended.
  ///
  /// Requests that have not ended by then are counted as in flight, and cancelled.
  public var drain: Duration

  /// The number of virtual users; nil is the number of the scenario.
  public var users: Int?

  /// The most requests that are in flight at a time; those due beyond it are not sent, and are counted as unsent.
  public var maximumInFlight: Int

  /// The source of random gaps and random choices: the same seed gives the same schedule.
  public var seed: UInt64

  /// The clock of the run.
  ///
  /// On the default one, requests of a schedule are sent by a thread of their own, which sleeps until shortly before one is due and
  /// then spins. On any other clock they are sent by a task that sleeps on it.
  public var clock: any Clock<Duration>

  /// Options of a run.
  ///
  /// - Parameters:
  ///   - mode: when requests are sent; by default at the scenario's rate, evenly spaced.
  ///   - duration: the length of the measured part.
  ///   - warmUp: the time before it.
  ///   - drain: the longest time the run waits for requests that have not ended.
  ///   - users: the number of virtual users; nil is the number of the scenario.
  ///   - maximumInFlight: the most requests that are in flight at a time.
  ///   - seed: where random gaps and random choices come from.
  ///   - clock: the clock of the run.
  public init(
    _ mode: Mode = .open(), duration: Duration = .seconds(10), warmUp: Duration = .zero,
    drain: Duration = .seconds(5), users: Int? = nil, maximumInFlight: Int = 100_000, seed: UInt64 = 0,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.mode = mode
    self.duration = duration
    self.warmUp = warmUp
    self.drain = drain
    self.users = users
    self.maximumInFlight = maximumInFlight
    self.seed = seed
    self.clock = clock
  }

  /// Throws a sentence for what no run can do.
  func check(for scenario: LoadScenario) throws(LoadError) {
    guard duration > .zero else { throw LoadError("A load run needs a duration above 0, but was given \(duration).") }
    guard warmUp >= .zero, drain >= .zero else {
      throw LoadError("A load run's warm-up and drain may not be negative; leave them out, or give 0 or more.")
    }
    guard maximumInFlight > 0 else {
      throw LoadError("A load run needs at least 1 request in flight, but was given \(maximumInFlight).")
    }
    if let users, users < 1 { throw LoadError("A load run needs at least 1 user, but was given \(users).") }
    switch mode {
    case .open(let schedule):
      guard schedule?.isUsable ?? scenario.rate.isUsable else {
        throw LoadError(
          "A schedule's rates have to be finite numbers of at least 0, one of them above 0; give for example .constant(1_000)."
        )
      }
    case .closed(let concurrency, let thinkTime):
      if let concurrency, concurrency < 1 {
        throw LoadError("A closed loop needs at least 1 client, but was given \(concurrency).")
      }
      guard thinkTime >= .zero else {
        throw LoadError("A client's think time may not be negative, but was given \(thinkTime).")
      }
    }
  }
}
