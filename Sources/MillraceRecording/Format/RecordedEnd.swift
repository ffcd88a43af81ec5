public import Millrace

/// The end of an action.
public struct RecordedEnd: Sendable, Hashable {
  /// The time of the end, in nanoseconds since the start of the recording, on the recorder's clock.
  public let at: Int64

  /// The run that handled it.
  public let run: RunID

  /// The kind of the outcome; errors and reasons are not recorded.
  public let outcome: Outcome.Kind

  /// An end.
  public init(at: Int64, run: RunID, outcome: Outcome.Kind) {
    self.at = at
    self.run = run
    self.outcome = outcome
  }
}
