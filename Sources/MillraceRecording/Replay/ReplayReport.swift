/// What a replay has found.
public struct ReplayReport<State: Sendable>: Sendable, CustomStringConvertible {
  /// The state at the end, or where the replay differs.
  public internal(set) var state: State

  /// The revision of that state.
  public internal(set) var revision: Int

  /// How many mutations were reduced.
  public internal(set) var commits = 0

  /// How many recorded states were compared.
  public internal(set) var comparisons = 0

  /// How many commits could not be replayed, because no state was recorded between a gap and them.
  public internal(set) var skipped = 0

  /// The first place where the replay leads to another state; nil if there is none.
  public internal(set) var divergence: ReplayDivergence<State>?

  /// Where the file was cut, if it was and that was accepted.
  public internal(set) var cut: RecordingError?

  /// Whether all states that were compared are the same; at least the commits behind the last one are not compared.
  public var isSame: Bool { divergence == nil }

  /// The result as one sentence, or with what differs.
  public var description: String {
    if let divergence { return divergence.description }
    let skipped = skipped == 0 ? "" : " \(skipped) commits behind gaps could not be replayed."
    let cut = cut.flatMap(\.line).map { " The recording is cut in line \($0)." } ?? ""
    let compared =
      comparisons == 0
      ? "no recorded state is behind them to compare with, for which a smaller checkpoint is needed."
      : "\(comparisons) recorded states are the same."
    return "Replayed \(commits) commits up to revision \(revision); \(compared)\(skipped)\(cut)"
  }
}
