public import Millrace

/// The stored result of a step: a named part of a handler that is done once, however often its run is handled.
///
/// No recorder writes such entries yet.
public struct RecordedStep: Sendable, Hashable {
  /// The result of a step.
  public enum Result: Sendable, Hashable {
    /// A value, as JSON with sorted keys.
    case value(String)

    /// The failure that the step throws each time, as JSON with sorted keys.
    case failure(String)
  }

  /// The time of the result, in nanoseconds since the start of the recording, on the recorder's clock.
  public let at: Int64

  /// The run that did the step.
  public let run: RunID

  /// The name of the step within its run.
  public let name: String

  /// The result, redacted if there was a redaction.
  public let result: Result

  /// Creates the entry of a step.
  ///
  /// - Parameters:
  ///   - at: the time of the result, in nanoseconds since the start of the recording.
  ///   - run: the run that did the step.
  ///   - name: the name of the step within its run.
  ///   - result: the result.
  public init(at: Int64, run: RunID, name: String, result: Result) {
    self.at = at
    self.run = run
    self.name = name
    self.result = result
  }
}
