@testable import MillraceTesting

/// Collects failures that the kit reports, so that they do not fail the test.
struct Failures: Sendable {
  private let recorder = Recorder<Failure>()

  var messages: [String] { recorder.recorded.map(\.message) }
  var lines: [UInt] { recorder.recorded.map(\.line) }
  var files: [String] { recorder.recorded.map { "\($0.file)" } }

  /// Makes something whose failures come here.
  func collect<Made>(_ make: () throws -> Made) rethrows -> Made {
    try FailureReporter.$collector.withValue(FailureCollector { recorder.record($0) }, operation: make)
  }

  /// Does something whose failures come here.
  func collect(_ body: () async -> Void) async {
    await FailureReporter.$collector.withValue(FailureCollector { recorder.record($0) }, operation: body)
  }
}
