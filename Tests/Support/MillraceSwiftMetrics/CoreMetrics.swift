import Synchronization

// The symbols of `CoreMetrics`, of swift-metrics 2, that the bridge of docs/metrics.md uses, with their signatures. They write to
// `RecordedMetrics` in place of a backend.

/// A value that only grows.
public final class Counter: Sendable {
  /// The name.
  public let label: String
  /// The names and values that tell it from others of its name.
  public let dimensions: [(String, String)]

  /// Creates a counter.
  public init(label: String, dimensions: [(String, String)] = []) {
    (self.label, self.dimensions) = (label, dimensions)
  }

  /// Adds an amount; backends have no amount below 0.
  public func increment<DataType: BinaryInteger>(by amount: DataType) {
    precondition(amount >= 0, "A counter only grows, but \(label) was incremented by \(amount).")
    RecordedMetrics.current.change(label, dimensions) { $0 + Double(amount) }
  }
}

/// A value that is set.
public class Recorder: @unchecked Sendable {
  /// The name.
  public let label: String
  /// The names and values that tell it from others of its name.
  public let dimensions: [(String, String)]
  /// Whether a backend makes statistics of the values.
  public let aggregate: Bool

  /// Creates a recorder.
  public init(label: String, dimensions: [(String, String)] = [], aggregate: Bool = true) {
    (self.label, self.dimensions, self.aggregate) = (label, dimensions, aggregate)
  }

  /// Sets a whole number.
  public func record<DataType: BinaryInteger>(_ value: DataType) { record(Double(value)) }

  /// Sets a number.
  public func record<DataType: BinaryFloatingPoint>(_ value: DataType) {
    RecordedMetrics.current.change(label, dimensions) { _ in Double(value) }
  }
}

/// A value that goes up and down.
public final class Gauge: Recorder, @unchecked Sendable {
  /// Creates a gauge.
  public convenience init(label: String, dimensions: [(String, String)] = []) {
    self.init(label: label, dimensions: dimensions, aggregate: false)
  }
}

/// The values of the counters and gauges of a test, by label and dimensions.
package final class RecordedMetrics: Sendable {
  @TaskLocal package static var current = RecordedMetrics()

  private let values = Mutex<[String: Double]>([:])

  package init() {}

  /// The value of a text such as `millrace_commits store=orders`; nil if none was written.
  package subscript(name: String) -> Double? { values.withLock { $0[name] } }

  fileprivate func change(_ label: String, _ dimensions: [(String, String)], _ change: (Double) -> Double) {
    let name = ([label] + dimensions.map { "\($0)=\($1)" }).joined(separator: " ")
    values.withLock { $0[name] = change($0[name] ?? 0) }
  }
}
