import Millrace

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Latency and faults of the calls of fakes, drawn from a seed.
///
/// ```swift
/// gateway.inject(
///   FakeFaults(
///     seed: 7, clock: clock, latency: .exponential(mean: .milliseconds(20)), faults: [.timeout: 0.01, .reset: 0.02]))
/// ```
///
/// The latency and the fault of a call are drawn when it comes, before its script is looked for; the same seed and the same order of calls
/// give the same faults, whatever the calls ask for and whenever they end. Time passes only on the given clock. Fakes
/// that are given the same object draw from one sequence, as the calls of one connection would;
/// ``FakeFaults/Fault/outOfOrder`` looks at all of them.
///
/// A wait ends with a `CancellationError` when the task of the call is cancelled. It may be used from any thread.
public final class FakeFaults: Sendable {
  /// The probabilities of faults, and the times of calls.
  public struct Settings: Sendable {
    /// The time before each call is answered; a held call is held after that.
    public var latency = FakeFaults.Latency.none

    /// Of each fault, the part of the calls that meet it, from 0 to 1; a call meets one at most.
    ///
    /// Anything else is a failure of the test, at the line where the faults are made. Where they sum up to more than 1,
    /// the last ones in the order of `FakeFaults.Fault.allCases` get the rest.
    public var faults: [FakeFaults.Fault: Double] = [:]

    /// The additional time of a slow call.
    public var slowness = FakeFaults.Latency.fixed(.seconds(5))

    /// After how long a call that timed out throws, and an answer that is out of order comes at the latest.
    public var patience = Duration.seconds(30)

    /// No latency and no faults.
    public init() {}
  }

  /// The faults and the delay of one call.
  @usableFromInline
  struct Drawn: Sendable {
    let faults: FakeFaults
    /// Counts the calls, from 1.
    let turn: Int
    let fault: FakeFaults.Fault?
    /// The time before the call is answered.
    let delay: Duration

    /// Notes that the call has ended: answers to earlier ones that wait for that are given.
    func end() {
      faults.end(turn)
    }
  }

  /// The numbers that are drawn for one call, from 0 up to 1.
  struct Draws {
    var fault: Double
    var latency: Double
    var slowness: Double
  }

  private struct Source: Sendable {
    let draws: @Sendable () -> Draws
    var turns = 0
  }

  /// The source location of the faults.
  let location: TestLine
  private let settings: Settings
  private let clock: any Clock<Duration>
  private let source: Lock<Source>
  private let overtaking = Lock(Overtaking<Suspension<Void>>())

  /// Creates faults that are drawn from a seed.
  public convenience init(
    seed: UInt64, clock: any Clock<Duration>, latency: FakeFaults.Latency = .none,
    faults: [FakeFaults.Fault: Double] = [:],
    file: StaticString = #filePath, line: UInt = #line
  ) {
    var settings = Settings()
    settings.latency = latency
    settings.faults = faults
    self.init(random: SeededGenerator(seed: seed), clock: clock, settings: settings, file: file, line: line)
  }

  /// Creates faults that are drawn from any source: three numbers for each call, and those under a lock.
  public convenience init(
    random: any RandomNumberGenerator & Sendable, clock: any Clock<Duration>, settings: Settings,
    file: StaticString = #filePath, line: UInt = #line
  ) {
    let random = Lock(random)
    self.init(clock: clock, settings: settings, location: TestLine(file, line)) {
      // As many for each call, so that what one meets does not depend on what others met.
      random.withLock { Draws(fault: $0.part(), latency: $0.part(), slowness: $0.part()) }
    }
  }

  init(clock: any Clock<Duration>, settings: Settings, location: TestLine, draws: @escaping @Sendable () -> Draws) {
    self.location = location
    self.settings = settings.checked(at: location)
    self.clock = clock
    source = Lock(Source(draws: draws))
  }

  /// Draws what the next call meets.
  @usableFromInline
  func draw() -> Drawn {
    let (turn, draws) = source.withLock { source in
      source.turns += 1
      return (source.turns, source.draws())
    }
    let fault = fault(for: draws.fault)
    var delay = settings.latency.duration(for: draws.latency)
    if fault == .slow { delay += settings.slowness.duration(for: draws.slowness) }
    overtaking.withLock { $0.begin(turn) }
    return Drawn(faults: self, turn: turn, fault: fault, delay: delay)
  }

  private func fault(for part: Double) -> FakeFaults.Fault? {
    var sum = 0.0
    for fault in FakeFaults.Fault.allCases {
      sum += settings.faults[fault] ?? 0
      if part < sum { return fault }
    }
    return nil
  }

  /// Returns once the delay of a call is over.
  func delay(_ drawn: Drawn) async throws {
    if drawn.delay > .zero { try await clock.sleep(for: drawn.delay) }
  }

  /// Returns once no caller would wait any longer.
  func waitInVain() async throws {
    try await clock.sleep(for: FakeFaults.Latency.bounded(settings.patience))
  }

  /// Returns once a later call has ended, or no caller would wait any longer.
  func waitToBeOvertaken(_ drawn: Drawn) async throws {
    // There no caller would wait at all; so it depends on the calls under way, and not on time.
    if clock is ImmediateClock { return try await overtaken(drawn, onlyUnderWay: true) }
    await withTaskGroup { group in
      group.addTask { try? await self.waitInVain() }
      group.addTask { try? await self.overtaken(drawn, onlyUnderWay: false) }
      await group.next()
      group.cancelAll()
    }
    try Task.checkCancellation()
  }

  private func end(_ turn: Int) {
    for waiter in overtaking.withLock({ $0.end(turn) }) { waiter.resume(returning: ()) }
  }

  private func overtaken(_ drawn: Drawn, onlyUnderWay: Bool) async throws {
    try await suspend { (waiter: Suspension<Void>, isCancelled) in
      overtaking.withLock {
        $0.wait(waiter, turn: drawn.turn, onlyUnderWay: onlyUnderWay, isCancelled: isCancelled())
      }.run()
    } onCancel: {
      overtaking.withLock { $0.cancel(drawn.turn) }.run()
    }
  }
}

extension FakeFaults.Settings {
  /// These, with what is no part of the calls told as a failure, and taken for the nearest part.
  fileprivate func checked(at location: TestLine) -> Self {
    var checked = self
    for fault in FakeFaults.Fault.allCases {
      guard let part = faults[fault], !(0...1).contains(part) else { continue }
      let nearest = part > 1 ? 1.0 : 0
      checked.faults[fault] = nearest
      FailureReporter().fail(
        """
        The part of the calls that meet the fault .\(fault.name) is \(part), which is not from 0 to 1; it is taken \
        for \(Int(nearest)). Give 0 for none of the calls, 1 for each, 0.25 for one of four.
        """, file: location.file, line: location.line)
    }
    return checked
  }
}

extension RandomNumberGenerator {
  /// A number from 0 up to 1.
  fileprivate mutating func part() -> Double {
    Double(next() >> 11) / 0x1p53
  }
}

extension FakeFaults {
  /// A fault of a call on its way, drawn by ``FakeFaults``.
  ///
  /// ``timeout`` and ``reset`` are also the errors that such a call throws.
  public enum Fault: Error, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The call takes longer: its latency and ``FakeFaults/Settings/slowness`` together.
    case slow
    /// The request is handled, and its answer is lost: once ``FakeFaults/Settings/patience`` is over, the call throws
    /// this.
    case timeout
    /// The connection breaks before the request is handled: the call throws this, and uses no script.
    case reset
    /// The request is delivered twice: a handler is called twice, one after the other, the log has two entries, and the
    /// caller gets the first answer. A scripted reply is used once.
    case duplicate
    /// The answer is held back until a call that came later has ended, or ``FakeFaults/Settings/patience`` is over.
    ///
    /// On an ``ImmediateClock``, on which any time is over at once, it is held back as long as a later call is under way and none
    /// has ended; calls that are made one after the other are in order there.
    case outOfOrder

    /// The name of the case.
    var name: String {
      switch self {
      case .slow: "slow"
      case .timeout: "timeout"
      case .reset: "reset"
      case .duplicate: "duplicate"
      case .outOfOrder: "outOfOrder"
      }
    }

    /// The fault as a sentence.
    public var description: String {
      switch self {
      case .slow: "The call is slow."
      case .timeout: "The call timed out: it was handled, and its answer was lost (FakeFaults)."
      case .reset: "The connection was reset before the call was handled (FakeFaults)."
      case .duplicate: "The request is delivered twice."
      case .outOfOrder: "The answer comes after one to a later call."
      }
    }
  }
}

extension FakeFaults {
  /// A time: a fixed one, or one that is drawn.
  ///
  /// A negative time is none, and one of more than 100 years is 100 years.
  public enum Latency: Sendable, Hashable {
    /// No time: the clock is not asked.
    case none
    /// Always so long.
    case fixed(Duration)
    /// Each time in this range is as likely as another.
    case uniform(ClosedRange<Duration>)
    /// Many short times and few long ones, so long in the mean; no longer than 20 times that.
    case exponential(mean: Duration)

    /// 100 years: clocks count that far from any time, and nothing that is computed from it leaves a `Duration`.
    private static var longest: Duration { .seconds(100 * 365.25 * 86_400) }

    /// The nearest time that is neither negative nor longer than 100 years.
    static func bounded(_ duration: Duration) -> Duration {
      min(max(duration, .zero), longest)
    }

    /// The nearest such time to a number of seconds; none for what is not a number.
    static func bounded(seconds: Double) -> Duration {
      seconds > 0 ? .seconds(min(seconds, longest / .seconds(1))) : .zero
    }

    /// The time for a number from 0 up to 1, all as likely.
    func duration(for part: Double) -> Duration {
      switch self {
      case .none: return .zero
      case .fixed(let duration): return Self.bounded(duration)
      case .uniform(let range):
        let (shortest, longest) = (Self.bounded(range.lowerBound), Self.bounded(range.upperBound))
        return shortest + (longest - shortest) * part
      case .exponential(let mean):
        return Self.bounded(Self.bounded(mean) * min(-log(1 - part), 20))
      }
    }
  }
}

/// The answers that are held back until a later call has ended, as a value without tasks and locks.
struct Overtaking<Waiter: Sendable>: Sendable {
  /// The latest turn that has ended.
  private var latest = 0
  private var underWay: Set<Int> = []
  private var waiting: [Int: Waiter] = [:]

  init() {}

  /// The call of this turn comes.
  mutating func begin(_ turn: Int) {
    underWay.insert(turn)
  }

  /// The answer to the call of this turn is held back, unless a later one has ended.
  ///
  /// With `onlyUnderWay` it is not held back either where no later one has come.
  mutating func wait(_ waiter: Waiter, turn: Int, onlyUnderWay: Bool, isCancelled: Bool) -> WakeAction<Waiter> {
    if isCancelled { return .cancel(waiter) }
    if turn < latest || onlyUnderWay && !underWay.contains(where: { $0 > turn }) { return .wake([waiter]) }
    waiting[turn] = waiter
    return .none
  }

  /// The call of this turn has ended, however; gives those that were held back for it, earliest first.
  mutating func end(_ turn: Int) -> [Waiter] {
    underWay.remove(turn)
    latest = max(latest, turn)
    guard !waiting.isEmpty else { return [] }
    let overtaken = waiting.filter { $0.key < turn }.sorted { $0.key < $1.key }
    for (turn, _) in overtaken { waiting[turn] = nil }
    return overtaken.map(\.value)
  }

  /// The call of this turn is not held back any more.
  mutating func cancel(_ turn: Int) -> WakeAction<Waiter> {
    waiting.removeValue(forKey: turn).map { .cancel($0) } ?? .none
  }
}
