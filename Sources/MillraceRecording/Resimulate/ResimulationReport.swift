public import Millrace
import MillraceEntries

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
      lines.append("It was given up, for too many actions did not continue; what came after that was not resimulated.")
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

/// The differences, once all entries were taken.
extension ResimulationBoard {
  /// All differences, those that were noted on the way first.
  ///
  /// - Parameters:
  ///   - calls: the recorded calls.
  ///   - compared: the part of a present mutation that is compared.
  ///   - passed: the recorded runs to compare; nil for all.
  func allDifferences(
    _ calls: [RecordedCall], compared: @Sendable (Mutation) -> Mutation, among passed: Set<RunID>?
  ) -> [ResimulationDifference] {
    func isAsked(_ run: RunID) -> Bool { passed?.contains(run) ?? true }
    let content = read { $0 }
    let runs = content.runs
    let unexpected = runs.unexpected.map { sender, name in
      let who = sender.flatMap { runs.pasts[$0]?.name } ?? "What is not recorded"
      return ResimulationDifference(
        .unexpectedAction, sender, "\(who) sent \(name), which it did not when it was recorded.")
    }
    // The results of calls of unrecorded runs are unknown.
    let unused = calls.indices.filter { index in
      content.calls.isOpen(index) && calls[index].run.map { runs.pasts[$0] != nil && isAsked($0) } ?? (passed == nil)
    }.map { index in
      let call = calls[index]
      let who = call.run.flatMap { runs.pasts[$0]?.name } ?? "What is not recorded"
      let what = call.isStep ? "ask for the step" : "call \"\(call.name)\" with"
      let result = call.isStep ? "result" : "reply"
      return ResimulationDifference(
        .unusedReply, call.run, "\(who) did not \(what) \(call.request) again, so its recorded \(result) was not used.")
    }
    return content.differences + unexpected + unused
      + runs.recorded.filter(isAsked).flatMap { runs.differences(of: $0, compared) }
  }
}

extension ResimulatedRuns {
  /// The differences of a recorded run.
  fileprivate func differences(of run: RunID, _ compared: (Mutation) -> Mutation) -> [ResimulationDifference] {
    guard let past = pasts[run] else { return [] }
    guard let live = lives[run] else {
      return [ResimulationDifference(.missingAction, run, "\(past.name) was not sent again.")]
    }
    var differences: [ResimulationDifference] = []
    let mutations = live.mutations.map(compared)
    // Where a value cannot be encoded, it could not have been recorded either.
    if let lines = try? EncodedDifference.lines(from: past.mutations, to: mutations) {
      differences.append(
        ResimulationDifference(
          .mutations, run,
          """
          \(past.name) committed other mutations than when it was recorded. Recorded → resimulated:
          \(lines.map { "  \($0)" }.joined(separator: "\n"))
          """))
    }
    if let outcome = past.outcome, let now = live.outcome, outcome != now {
      differences.append(
        ResimulationDifference(.outcome, run, "\(past.name) ended as \(now), and as \(outcome) when it was recorded."))
    }
    return differences
  }
}

/// Something that was otherwise in a resimulation than when it was recorded.
public struct ResimulationDifference: Sendable, CustomStringConvertible {
  /// The kinds there are; more may come.
  public struct Kind: Sendable, Hashable, CustomStringConvertible {
    private let name: String

    /// The name of the kind.
    public var description: String { name }

    /// An action committed other mutations.
    public static let mutations = Kind(name: "mutations")
    /// An action ended otherwise.
    public static let outcome = Kind(name: "outcome")
    /// A handler made a call that was not recorded; the call has failed.
    public static let unexpectedCall = Kind(name: "unexpectedCall")
    /// A handler did not make a call that was recorded.
    public static let unusedReply = Kind(name: "unusedReply")
    /// A recorded reply is none of the type that the handler asks for; the call has failed.
    public static let unreadableReply = Kind(name: "unreadableReply")
    /// A handler needs the value of a step, which the redaction left out; the step has failed.
    public static let missingValue = Kind(name: "missingValue")
    /// A handler sent an action that was not recorded.
    public static let unexpectedAction = Kind(name: "unexpectedAction")
    /// An action that was recorded was not accepted again, or not sent by its handler.
    public static let missingAction = Kind(name: "missingAction")
    /// An action did not continue; the resimulation continued without it.
    public static let stuck = Kind(name: "stuck")
  }

  /// The kind of the difference.
  public let kind: Kind

  /// The recorded run that it is about; nil for a run that was not recorded.
  public let run: RunID?

  /// The difference as a sentence, with the differing parts in lines behind it.
  public let description: String

  init(_ kind: Kind, _ run: RunID?, _ description: String) {
    self.kind = kind
    self.run = run
    // Names and texts come from a file of unknown origin.
    self.description = description.shown(keepsLines: true)
  }
}
