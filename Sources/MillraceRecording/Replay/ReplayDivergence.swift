/// The first place where a replay leads to another state than the one that was recorded.
public struct ReplayDivergence<State: Sendable>: Sendable, CustomStringConvertible {
  /// The first revision whose recorded state differs.
  public let revision: Int

  /// The last revision whose recorded state was the same: one of the mutations between is reduced otherwise.
  ///
  /// It is ``revision`` where two states are recorded of it.
  public let lastSame: Int

  /// The state that was recorded.
  public let recorded: State

  /// The state that the replay has led to.
  public let replayed: State

  /// The difference, a line for each part: the recorded value, and the present one.
  public let difference: [String]

  /// Possible reasons other than the reducer: sentences, each behind a space.
  let hint: String

  /// The place at which the states differ, and the difference.
  public var description: String {
    let lines = difference.map { "  \($0)" }.joined(separator: "\n")
    if revision == lastSame {
      return """
        Two states are recorded of revision \(revision), and they differ though no mutation is between them: lines were changed, or \
        put together. Take the file as the recorder wrote it. The later → the earlier:
        \(lines)
        """
    }
    let mutations = lastSame + 1 == revision ? "Mutation \(revision)" : "A mutation of \(lastSame + 1) to \(revision)"
    return """
      At revision \(revision) the state differs from what was recorded; at revision \(lastSame) it was the same. \(mutations) is \
      reduced otherwise than when it was recorded.\(hint) Recorded → replayed:
      \(lines)
      """
  }
}
