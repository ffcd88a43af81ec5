/// What a replay has proven.
public enum ReplayVerdict: Sendable, Hashable {
  /// It has led to the recorded states; there was at least one to compare with.
  case same

  /// It has led to another state; see ``ReplayReport/divergence``.
  case different

  /// Nothing: no state was recorded behind a commit that was replayed.
  case nothingCompared
}
