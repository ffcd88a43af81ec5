package import Millrace

/// The numbers of a recording's entries by kind.
package struct RecordingSummary: Sendable, Equatable {
  /// Actions, accepted or not.
  package private(set) var actions = 0
  /// Actions that were rejected before they were accepted.
  package private(set) var rejected = 0
  /// Calls to gateways that have their reply.
  package private(set) var calls = 0
  /// The number of attempts that followed a failed attempt.
  package private(set) var retries = 0
  /// Steps that have their results.
  package private(set) var steps = 0
  /// Steps whose results are failures.
  package private(set) var failedSteps = 0
  /// Commits.
  package private(set) var commits = 0
  /// States behind the one at the beginning.
  package private(set) var states = 0
  /// Gaps.
  package private(set) var gaps = 0
  /// Entries that are known to be missing.
  package private(set) var missed = 0
  /// Outcomes by their kind.
  package private(set) var outcomes: [Outcome.Kind: Int] = [:]
  /// The time of the last entry, in nanoseconds since the start of the recording.
  package private(set) var end: Int64 = 0
  /// The revision of the last commit; nil if there is none.
  package private(set) var revision: Int?

  /// A summary of nothing.
  package init() {}

  /// Counts what happened next.
  package mutating func take(_ event: RecordingEvent) {
    end = max(end, event.at)
    switch event {
    case .action(_, _, _, let isAccepted, _, _):
      actions += 1
      if !isAccepted { rejected += 1 }
    case .call: calls += 1
    case .commit(_, let revision, _, _, _):
      commits += 1
      self.revision = revision
    case .rest: retries += 1
    case .step(_, _, _, _, let isFailure):
      steps += 1
      if isFailure { failedSteps += 1 }
    case .end(_, _, let outcome, _): outcomes[outcome, default: 0] += 1
    case .state: states += 1
    case .gap(_, let missed):
      gaps += 1
      self.missed += missed
    }
  }

  /// The counts, a name and a text each, without what there is none of.
  package var lines: [(name: String, text: String)] {
    let ends = Outcome.Kind.allCases.compactMap { kind in outcomes[kind].map { "\(kind) \($0)" } }
    let all: [(name: String, text: String?)] = [
      ("Time", Histogram.text(.nanoseconds(end))),
      ("Actions", rejected == 0 ? "\(actions)" : "\(actions), of them \(rejected) rejected before they were accepted"),
      ("Outcomes", ends.isEmpty ? nil : ends.joined(separator: ", ")),
      ("Calls", calls == 0 ? nil : "\(calls)"),
      ("Retries", retries == 0 ? nil : "\(retries)"),
      ("Steps", steps == 0 ? nil : failedSteps == 0 ? "\(steps)" : "\(steps), of them \(failedSteps) failed"),
      ("Commits", revision.map { "\(commits), up to revision \($0)" } ?? "0"),
      ("States", "\(states) behind the one at the beginning"),
      ("Gaps", gaps == 0 ? nil : "\(gaps), with \(missed) entries that are known to be missing"),
    ]
    return all.compactMap { line in line.text.map { (line.name, $0) } }
  }
}
