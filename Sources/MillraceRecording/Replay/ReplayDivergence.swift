/// The first place where a replay leads to another state than the one that was recorded.
public struct ReplayDivergence<State: Sendable>: Sendable, CustomStringConvertible {
  /// The first revision whose recorded state differs.
  public let revision: Int

  /// The last revision before it whose recorded state was the same: one of the mutations between is reduced otherwise.
  public let lastSame: Int

  /// The state that was recorded.
  public let recorded: State

  /// The state that the replay has led to.
  public let replayed: State

  /// What differs, a line for each part: what was recorded, and what it is now.
  public let difference: [String]

  /// Whether the recording was redacted, and the replay was given no redaction.
  let isMissingRedaction: Bool

  /// Where the states differ, and in what.
  public var description: String {
    let mutations = lastSame + 1 == revision ? "Mutation \(revision)" : "A mutation of \(lastSame + 1) to \(revision)"
    let hint =
      isMissingRedaction
      ? " The recording is redacted: if the reducer derives something from what was redacted, give the replay the same redaction."
      : ""
    return """
      At revision \(revision) the state differs from what was recorded; at revision \(lastSame) it was the same. \(mutations) is \
      reduced otherwise than when it was recorded.\(hint) Recorded → replayed:
      \(difference.map { "  \($0)" }.joined(separator: "\n"))
      """
  }
}
