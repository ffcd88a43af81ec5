import Foundation
import Millrace

/// The size that the environment gives to all simulations of a process: `MILLRACE_SEEDS`, `MILLRACE_SECONDS`, `MILLRACE_BASE_SEED` and
/// `MILLRACE_WORKERS`.
struct SimulationEnvironment: Equatable, Sendable {
  /// The seeds that are run in place of those in the source.
  var seeds: Range<UInt64>?
  /// The time for each simulation.
  var seconds: Double?
  /// The number that is added to each seed, such as the date of a nightly run.
  var base: UInt64?
  /// The number of worlds that run side by side; nil stands for one.
  var workers: Int?

  static let current = Result { try SimulationEnvironment(ProcessInfo.processInfo.environment) }

  /// Reads it; throws a sentence for a value that is none.
  init(_ environment: [String: String]) throws(InvalidVariable) {
    func value<Value>(_ name: String, _ example: String, _ read: (String) -> Value?) throws(InvalidVariable) -> Value? {
      guard let text = environment[name], !text.isEmpty else { return nil }
      guard let value = read(text) else { throw InvalidVariable(name: name, value: text, example: example) }
      return value
    }
    seeds = try value("MILLRACE_SEEDS", "0..<100000", Self.range)
    seconds = try value("MILLRACE_SECONDS", "600") { Double($0).flatMap { $0 > 0 && $0 <= 1_000_000_000 ? $0 : nil } }
    base = try value("MILLRACE_BASE_SEED", "20270131") { UInt64($0) }
    workers = try value("MILLRACE_WORKERS", "4") { Int($0).flatMap { (1...1_024).contains($0) ? $0 : nil } }
  }

  /// A value that cannot be read.
  struct InvalidVariable: Error, CustomStringConvertible {
    let name: String
    let value: String
    let example: String

    var description: String {
      "\(name) is '\(value)' in the environment; set it to a value such as \(example), or unset it."
    }
  }

  private static func range(_ text: String) -> Range<UInt64>? {
    let ends = text.components(separatedBy: "..<").map { UInt64($0) }
    guard ends.count == 2, let first = ends[0], let end = ends[1], first < end else { return nil }
    return first..<end
  }

  /// The seeds to run, and the time for them.
  ///
  /// A time in the environment without seeds takes as many seeds as there is time for.
  func size(_ seeds: Range<UInt64>, for time: Duration?) -> (seeds: Range<UInt64>, time: Duration?) {
    var seeds = self.seeds ?? (seconds != nil && !seeds.isEmpty ? seeds.lowerBound..<UInt64.max : seeds)
    if let base { seeds = base.advanced(seeds.lowerBound)..<base.advanced(seeds.upperBound) }
    return (seeds, seconds.map { .seconds($0) } ?? time)
  }

  /// The size in words, if the environment has a part in it.
  func sentence(_ size: (seeds: Range<UInt64>, time: Duration?), at origin: String) -> String? {
    guard seeds != nil || seconds != nil || base != nil else { return nil }
    let seeds = size.seeds.upperBound == .max ? "from \(size.seeds.lowerBound) on" : "\(size.seeds)"
    let time = size.time.map { " for \($0)" } ?? ""
    return "the simulation at \(origin) runs the seeds \(seeds)\(time), as the environment says."
  }
}

extension UInt64 {
  /// The sum, or the largest number.
  fileprivate func advanced(_ other: UInt64) -> UInt64 {
    let (sum, isTooLarge) = addingReportingOverflow(other)
    return isTooLarge ? .max : sum
  }
}

/// The time of a simulation, and a line on standard error every ten seconds where it is long.
struct TimeBudget {
  private let start = ContinuousClock.now
  private let time: Duration?
  private let origin: String
  private var lines = 0
  private var hasBegun = false

  /// - Parameter time: the whole time; nil has no end.
  init(_ time: Duration?, at origin: String) {
    self.time = time?.bounded
    self.origin = origin
  }

  /// Whether another world may begin; the first one always may.
  mutating func hasTime(after report: Simulation.Report) -> Bool {
    guard let time else { return true }
    defer { hasBegun = true }
    let passed = ContinuousClock.now - start
    if passed >= .seconds(10) * (lines + 1) {
      lines += 1
      writeToStandardError(
        line: """
          the simulation at \(origin) has run \(report.worlds) worlds with \(report.steps) steps in \
          \(passed.components.seconds) of \(time.components.seconds) seconds; failures: \(report.failures.count).
          """)
    }
    return !hasBegun || passed < time
  }
}
