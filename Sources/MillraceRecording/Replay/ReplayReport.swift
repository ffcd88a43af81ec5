/// The result of a replay.
public struct ReplayReport<State: Sendable>: Sendable, CustomStringConvertible {
  /// The state at the end, or where the replay differs.
  public internal(set) var state: State

  /// The revision of that state; commits that were ``skipped`` at the end come after it.
  public internal(set) var revision: Int

  /// The number of mutations that were reduced.
  public internal(set) var commits = 0

  /// The number of recorded states that were compared, each behind a commit at least.
  public internal(set) var comparisons = 0

  /// The number of commits that could not be replayed, because no state was recorded after a gap.
  public internal(set) var skipped = 0

  /// The first place where the replay leads to another state; nil if there is none.
  public internal(set) var divergence: ReplayDivergence<State>?

  /// The place at which the file was cut, if that was accepted.
  public internal(set) var cut: RecordingError?

  /// The verdict.
  public var verdict: ReplayVerdict {
    if divergence != nil { return .different }
    return comparisons > 0 ? .same : .nothingCompared
  }

  /// Whether states were compared, and all of them are the same; at least the commits behind the last one are not compared.
  public var isSame: Bool { verdict == .same }

  /// The result in a sentence or two, or with what differs.
  public var description: String {
    let beginning = "Replayed \(counted(commits, "commit")) up to revision \(revision)"
    let notes =
      (skipped == 0 ? "" : " \(counted(skipped, "commit")) behind gaps could not be replayed.")
      + (cut.flatMap(\.line).map { " The recording is cut in line \($0)." } ?? "")
    switch verdict {
    case .different: return divergence.map(\.description) ?? ""
    case .same:
      let states = comparisons == 1 ? "1 recorded state is" : "\(comparisons) recorded states are"
      return "\(beginning); \(states) the same.\(notes)"
    case .nothingCompared where commits == 0:
      return "No commit was replayed, so nothing was compared and nothing is proven.\(notes)"
    case .nothingCompared:
      return """
        \(beginning), but nothing was compared and nothing is proven: no state is recorded behind \(commits == 1 ? "it" : "them"). \
        End a recorder with finish(with: store.snapshot), or give it a smaller checkpoint.\(notes)
        """
    }
  }

  private func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}
