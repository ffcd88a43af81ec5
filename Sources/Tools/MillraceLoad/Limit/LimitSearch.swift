import Foundation
import Millrace
import MillraceFlags

/// A search for the highest rate at which a condition holds.
///
/// The rate is raised by half until the condition breaks, and then halfway (geometrically) between the highest that held and the
/// lowest that broke, until these differ by at most 2 %. At each rate two windows with the same result decide. A window that the
/// generator spoilt says nothing about the system and is repeated; the fifth of a rate makes that rate the limit of the generator.
struct LimitSearch: Sendable {
  /// The next step after a window.
  enum Step: Equatable {
    /// Another window at this rate, in requests a second.
    case measure(Double)
    /// The limit is found, or there is none.
    case ended
  }

  /// The result of a window.
  enum Result: Sendable, Equatable {
    /// The condition held.
    case held
    /// The system broke the condition.
    case broken
    /// The generator was too late for the condition, whatever the system did.
    case undecided
  }

  /// The number of undecided windows after which a rate is one that the generator cannot send.
  private static let patience = 5

  /// The largest quotient of the lowest rate that broke and the highest that held, at the end.
  private static let precision = 1.02

  /// The factor by which the rate is raised, or lowered, while only one of both is known.
  private static let raise = 1.5

  /// The lowest rate that is tried.
  private static let least = 0.5
  /// The highest rate that is tried, which no generator sends.
  private static let most = 1e9

  /// The highest rate that held.
  private(set) var held: Double?
  /// The lowest rate that broke.
  private(set) var broken: Double?
  /// Whether ``broken`` is a rate that the generator could not send.
  private(set) var isGeneratorLimit = false
  private var rate: Double
  private var windows: (held: Int, broken: Int, undecided: Int) = (0, 0, 0)

  /// - Parameter rate: the first rate, in requests a second.
  init(from rate: Double) {
    self.rate = rate
  }

  /// The first window.
  var first: Step { .measure(rate) }

  /// Takes the result of a window at the rate that was to be measured.
  mutating func next(_ result: Result) -> Step {
    switch result {
    case .held: windows.held += 1
    case .broken: windows.broken += 1
    case .undecided: windows.undecided += 1
    }
    guard windows.held == 2 || windows.broken == 2 || windows.undecided == Self.patience else { return .measure(rate) }
    if windows.held == 2 {
      held = rate
    } else {
      broken = rate
      isGeneratorLimit = windows.broken < 2
    }
    windows = (0, 0, 0)
    switch (held, broken) {
    case (let held?, let broken?):
      guard broken / held > Self.precision else { return .ended }
      rate = (held * broken).squareRoot()
    case (let held?, nil): rate = held * Self.raise
    case (nil, let broken?): rate = broken / Self.raise
    case (nil, nil): break
    }
    return (Self.least...Self.most).contains(rate) ? .measure(rate) : .ended
  }

  /// The number of windows that are left, if two decide at each rate and the current one is the first to break, or to hold.
  var windowsLeft: Int {
    let now = max(2 - max(windows.held, windows.broken), 1)
    guard let held, let broken else { return now + 2 * Self.steps(toNarrow: Self.raise) }
    return now + 2 * max(Self.steps(toNarrow: broken / held) - 1, 0)
  }

  /// The number of rates that narrow a gap to the precision.
  private static func steps(toNarrow gap: Double) -> Int {
    max(Int(log2(log(gap) / log(precision)).rounded(.up)), 0)
  }
}

/// A condition on the latency of a run, such as `p99<=10ms`.
///
/// It holds when that part of all offered requests finished in time: a request that failed, was rejected or was not sent did not.
public struct LatencyCondition: Sendable, Equatable, CustomStringConvertible {
  /// The part of the requests, above 0 and below 1.
  public let quantile: Double

  /// The longest time they may take.
  public let bound: Duration

  /// As it was written.
  public let description: String

  /// Reads a condition: `p50`, `p90`, `p99`, `p999` or any other percentile, `<=`, and a time in `us`, `ms` or `s`.
  ///
  /// Further decimals follow the first two digits, so that `p999` is 99.9 %.
  ///
  /// - Throws: ``LoadError`` for another text; it says the expected form.
  public init(_ text: String) throws(LoadError) {
    let parts = text.filter { $0 != " " }.split(separator: "<=", maxSplits: 1)
    guard parts.count == 2, let quantile = Self.quantile(parts[0]), let bound = Self.duration(parts[1]) else {
      throw LoadError(
        "\(FlagError.quoted(String(text.prefix(60)))) is no condition on a latency; write a percentile, <= and a time, such as "
          + "p99<=10ms.")
    }
    self.quantile = quantile
    self.bound = bound
    description = text.filter { $0 != " " }
  }

  /// Whether it holds for the figures of a run.
  public func holds(for report: LoadReport) -> Bool {
    report.share(within: bound) >= quantile
  }

  /// The least number of requests from which a percentile can be told.
  var leastRequests: Int { Int((100 / (1 - quantile)).rounded(.up)) }

  /// The quantile that a percentile such as `p99` names; nil for another text.
  static func quantile(_ text: Substring) -> Double? {
    let digits = text.dropFirst()
    guard text.first == "p", (2...6).contains(digits.count), digits.allSatisfy(\.isNumber),
      let quantile = Double("0.\(digits)"), quantile > 0
    else { return nil }
    return quantile
  }

  /// The duration of a number and its unit; nil for another text, and for 0.
  static func duration(_ text: Substring) -> Duration? {
    for (unit, seconds) in [("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("s", 1)] where text.hasSuffix(unit) {
      guard let number = Double(text.dropLast(unit.count)), number > 0, number < 1e6 else { return nil }
      return .nanoseconds(Int64(number * seconds * 1e9))
    }
    return nil
  }
}

/// An event of a search for the limit.
enum LimitEvent {
  /// The users of all windows are made.
  case made(LoadSession)
  /// A window begins; the function reads its figures so far.
  case began(LimitProgress, @Sendable () -> LoadProgress)
  /// A window has ended.
  case ended(LoadLimitReport.Window)
}

/// The place of a window in a search for the limit.
struct LimitProgress: Sendable {
  let condition: LatencyCondition
  /// The rate of the window, in requests a second.
  let rate: Double
  /// The length of the window, with its warm-up.
  let length: Duration
  /// The time that the search still takes from the start of the window on, by an estimate.
  let timeLeft: Duration

  /// A line of progress for the time within the window.
  ///
  /// - Parameters:
  ///   - progress: the figures of the window so far.
  ///   - warmUp: the warm-up of the window.
  func text(_ progress: LoadProgress, warmUp: Duration) -> String {
    let elapsed = min(max(progress.elapsed + warmUp, .zero), length)
    return "\(condition) at \(Figures.rate(rate)): \(Histogram.text(elapsed)) of \(Histogram.text(length)), "
      + "about \(Histogram.text(max(timeLeft - elapsed, .zero))) left"
  }
}
