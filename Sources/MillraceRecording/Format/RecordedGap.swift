/// A place where something happened that could not be recorded, because the writer was too slow or the recorder not in place.
///
/// Commits behind it cannot be replayed before the next state, which the recorder takes with the first of them.
public struct RecordedGap: Sendable, Hashable {
  /// The time at which recording continued, in nanoseconds since the start of the recording, on the recorder's clock.
  public let at: Int64

  /// The number of entries known to be missing; 0 if commits were made while the recorder was not among the interceptors.
  public let missed: Int

  /// A gap.
  public init(at: Int64, missed: Int) {
    self.at = at
    self.missed = missed
  }
}
