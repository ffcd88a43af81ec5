public import Millrace

/// The result that a handler got of a step: a named part of it that is done once, however often its run is handled.
///
/// A sleep and a wait are steps, too. A run that is handled again gets stored results, which are recorded as it gets them.
public struct RecordedStep: Sendable, Hashable {
  /// The result of a step.
  public enum Result: Sendable, Hashable {
    /// A value, as JSON with sorted keys.
    case value(String)

    /// The failure that the step throws each time, as JSON with sorted keys.
    case failure(String)

    /// A value that the redaction left out.
    case leftOut
  }

  /// The time of the result, in nanoseconds since the start of the recording, on the recorder's clock.
  public let at: Int64

  /// The run that did the step.
  public let run: RunID

  /// The name of the step within its run.
  public let name: String

  /// The result, redacted if there was a redaction.
  public let result: Result

  /// The attempt of the run that did the step, counted from 1.
  public let attempt: Int

  /// The step of the run whose body did this one; nil for one outside of steps.
  public let enclosingStep: String?

  /// Creates the entry of a step.
  ///
  /// - Parameters:
  ///   - at: the time of the result, in nanoseconds since the start of the recording.
  ///   - run: the run that did the step.
  ///   - name: the name of the step within its run.
  ///   - result: the result.
  ///   - attempt: the attempt of the run.
  ///   - enclosingStep: the step whose body did this one.
  public init(at: Int64, run: RunID, name: String, result: Result, attempt: Int = 1, enclosingStep: String? = nil) {
    self.at = at
    self.run = run
    self.name = name
    self.result = result
    self.attempt = attempt
    self.enclosingStep = enclosingStep
  }
}
