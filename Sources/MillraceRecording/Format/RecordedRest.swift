public import Millrace

/// The beginning of a rest between two attempts of a run.
///
/// A resimulation lets the run rest exactly as long again, because jitter is random.
public struct RecordedRest: Sendable, Hashable {
  /// The beginning of the rest, in nanoseconds since the start of the recording, on the recorder's clock.
  public let at: Int64

  /// The run that rests.
  public let run: RunID

  /// The number of the attempt that failed before the rest, counted from 1.
  public let attempt: Int

  /// The length of the rest, in nanoseconds; at least 0.
  public let duration: Int64

  /// Makes the entry of a rest.
  ///
  /// - Parameters:
  ///   - at: the beginning of the rest, in nanoseconds since the start of the recording.
  ///   - run: the run that rests.
  ///   - attempt: the number of the attempt that failed before the rest, counted from 1.
  ///   - duration: the length of the rest, in nanoseconds; at least 0.
  public init(at: Int64, run: RunID, attempt: Int, duration: Int64) {
    self.at = at
    self.run = run
    self.attempt = attempt
    self.duration = duration
  }
}
