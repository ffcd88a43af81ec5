/// The result of a resimulation.
public struct ResimulationReport<State: Sendable>: Sendable, CustomStringConvertible {
  /// The differences from the recording, in recorded order.
  public let differences: [ResimulationDifference]

  /// The number of recorded actions that were accepted again.
  public let actions: Int

  /// The number of recorded replies that were given.
  public let replies: Int

  /// The number of commits of actions that were accepted before the recording begins: they cannot be resimulated, and
  /// states differ from there.
  public let foreignCommits: Int

  /// Whether it ended at a gap of the recording.
  public let endedAtGap: Bool

  /// Whether it was given up, because too many actions did not continue; later entries are not in the report.
  public let wasGivenUp: Bool

  /// The state at the end.
  public let state: State

  /// The verdict: `.different` also if it was given up, `.nothingCompared` if no action was accepted again.
  public var verdict: ReplayVerdict {
    if !differences.isEmpty || wasGivenUp { return .different }
    return actions > 0 ? .same : .nothingCompared
  }

  /// Whether actions were resimulated, and nothing was otherwise.
  public var isSame: Bool { verdict == .same }

  /// The result, with a line or more for each difference.
  public var description: String {
    func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
    let replies = self.replies == 1 ? "1 recorded reply" : "\(self.replies) recorded replies"
    var lines: [String] = []
    if verdict == .nothingCompared {
      lines.append("No action was resimulated, so nothing was compared and nothing is proven: \(whyNothing)")
    } else {
      lines.append(
        "Resimulated \(counted(actions, "action")) with \(replies); \(counted(differences.count, "difference")).")
      if endedAtGap { lines.append("It ended at a gap of the recording.") }
    }
    if wasGivenUp {
      lines.append("It was given up, for too many actions did not go on; what came after that was not resimulated.")
    }
    if foreignCommits > 0 {
      lines.append(
        """
        \(foreignCommits == 1 ? "1 commit is of an action" : "\(foreignCommits) commits are of actions") from before the \
        recording; states differ from there. Resimulate a recording that begins with the store.
        """)
    }
    return (lines + differences.map { "- \($0.description)" }).joined(separator: "\n")
  }

  /// The reason for which no action was resimulated, with the fix.
  private var whyNothing: String {
    endedAtGap
      ? "no action stands before the first gap of the recording. Keep more entries in a ring, or begin with the store."
      : "the recording has no action that was accepted."
  }
}
