import Foundation
public import Millrace

/// One of the equally long parts into which the measured part of a run is divided, for plots.
public struct LoadSlice: Sendable, Equatable {
  /// Requests that were due in it and were sent.
  public internal(set) var sent = 0
  /// Requests that finished in it; a request that finished after the measured part is in none.
  public internal(set) var finished = 0
  /// Requests that ended in it, neither finished nor rejected; a request that ended after the measured part is in none.
  public internal(set) var failed = 0
  /// Requests that were due in it and were rejected.
  public internal(set) var rejected = 0
  /// Requests that were due in it and were not sent.
  public internal(set) var unsent = 0
  /// Latencies of the requests that were due in it and have finished.
  public internal(set) var latency = Histogram()
  /// Requests in flight shortly after its end; nil when no request was sent or ended from then on.
  public internal(set) var inFlight: Int?
  /// Bytes of this process in memory at that time; nil where the system does not tell.
  public internal(set) var memory: Int?
  /// Open descriptors of this process at that time; nil where the system does not tell.
  public internal(set) var descriptors: Int?

  init() {}
}

/// The memory and the descriptors that this process uses.
package struct ProcessReading: Sendable {
  /// Bytes in memory; nil where the system does not tell.
  package var memory: Int?
  /// Open descriptors; nil where the system does not tell.
  var descriptors: Int?

  /// Reads `/proc`, which Linux has.
  package static var now: ProcessReading {
    ProcessReading(memory: residentBytes, descriptors: openDescriptors)
  }

  private static var residentBytes: Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .ascii) else { return nil }
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map {
      $0 * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
  }

  private static var openDescriptors: Int? {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count
  }
}

/// The way a figure changes over a run, by linear regression (least squares) over its readings.
///
/// The first fifth of the readings is left out, in which caches fill.
struct Trend: Sendable, Equatable {
  /// The mean of the readings.
  let mean: Double
  /// The change from the first to the last reading, by the line that fits best.
  let change: Double
  /// The standard error of the change.
  let uncertainty: Double

  /// - Parameter readings: in equal distances of time; nil for fewer than ten.
  init?(_ readings: [Int]) {
    let values = readings.dropFirst(readings.count / 5).map(Double.init)
    guard values.count >= 8, readings.count >= 10 else { return nil }
    let count = Double(values.count)
    let mean = values.reduce(0, +) / count
    let middle = (count - 1) / 2
    var (products, squares) = (0.0, 0.0)
    for (index, value) in values.enumerated() {
      products += (Double(index) - middle) * (value - mean)
      squares += (Double(index) - middle) * (Double(index) - middle)
    }
    let slope = products / squares
    let rest = values.enumerated().reduce(0) { sum, reading in
      let distance = reading.element - mean - slope * (Double(reading.offset) - middle)
      return sum + distance * distance
    }
    self.mean = mean
    change = slope * (count - 1)
    uncertainty = (rest / (count - 2) / squares).squareRoot() * (count - 1)
  }

  /// Whether it grows: by more than a twentieth of its mean, by more than is ignored, and by more than four standard errors.
  func isGrowing(ignoring least: Double) -> Bool {
    change > max(mean / 20, least) && change > 4 * uncertainty
  }

  /// Returns a sentence that says whether a figure is flat.
  func sentence(_ name: String, unit: (Double) -> String, ignoring least: Double) -> String {
    guard isGrowing(ignoring: least) else { return "\(name) is flat at \(unit(mean))." }
    return "\(name) grew by \(unit(change)), to \(unit(mean + change / 2)), and is not flat."
  }
}
