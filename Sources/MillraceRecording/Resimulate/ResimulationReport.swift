/// What a resimulation has found.
public struct ResimulationReport<State: Sendable>: Sendable, CustomStringConvertible {
  /// What was otherwise than when it was recorded, in recorded order.
  public let differences: [ResimulationDifference]

  /// How many recorded actions were accepted again.
  public let actions: Int

  /// How many recorded replies were given.
  public let replies: Int

  /// How many recorded commits belong to actions that were accepted before the recording begins: they cannot be resimulated, and
  /// states differ from there.
  public let foreignCommits: Int

  /// Whether it ended at a gap of the recording.
  public let endedAtGap: Bool

  /// The state at the end.
  public let state: State

  /// Whether nothing was otherwise.
  public var isSame: Bool { differences.isEmpty }

  /// The result, with a line or more for each difference.
  public var description: String {
    var lines = ["Resimulated \(actions) actions with \(replies) recorded replies; \(differences.count) differences."]
    if endedAtGap { lines.append("It ended at a gap of the recording.") }
    if foreignCommits > 0 {
      lines.append(
        """
        \(foreignCommits) commits are of actions from before the recording; states differ from there. Resimulate a recording \
        that begins with the store.
        """)
    }
    return (lines + differences.map { "- \($0.description)" }).joined(separator: "\n")
  }
}
