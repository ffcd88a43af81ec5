/// The telling of why a commit came about, from the commits that are kept.
struct Causality<Action: Sendable, Mutation: Sendable, State: Sendable> {
  typealias Commit = TransitionHistory<Action, Mutation, State>.Commit

  private let kept: [Commit]
  private let capacity: Int
  private let name: ValueName

  init(_ kept: [Commit], capacity: Int, name: ValueName) {
    self.kept = kept
    self.capacity = capacity
    self.name = name
  }

  /// The chain of a commit, the commit first, a line for each link.
  func why(_ revision: Int) -> String {
    guard let commit = kept.first(where: { $0.revision == revision }) else { return absence(of: revision) }
    let byRun = Dictionary(grouping: kept) { $0.cause.context.run }
    var lines = ["revision \(revision): \(name.of(commit.mutation)), by \(name.of(commit.cause))"]
    var context = commit.cause.context
    while let parent = context.parent {
      if let commits = byRun[parent], let first = commits.first {
        lines.append("\(sending(context)) \(link(first, commits))")
        context = first.cause.context
      } else {
        lines.append("\(sending(context)) \(unknown(parent, seenFrom: context.run))")
        if parent != context.root { lines.append("the chain began with \(beginning(context, byRun))") }
        context = byRun[context.root]?.first?.cause.context ?? context
        break
      }
    }
    return (lines + [origin(context)]).joined(separator: "\n")
  }

  // MARK: Links

  /// How an action was sent by a handler; a trace is told where it begins.
  private func sending(_ context: RunContext) -> String {
    guard let trace = context.trace, !context.inheritsTrace else { return "sent by the handler of" }
    return "sent in the trace \(trace.traceparent) by the handler of"
  }

  private func link(_ first: Commit, _ commits: [Commit]) -> String {
    let what = commits.map { "\(name.of($0.mutation)) (revision \($0.revision))" }.joined(separator: ", ")
    return "\(name.of(first.cause)), which committed \(what)"
  }

  private func unknown(_ run: RunID, seenFrom other: RunID) -> String {
    "\(run), " + (run.store == other.store ? "of which no commit is kept" : "a run of another store")
  }

  private func beginning(_ context: RunContext, _ byRun: [RunID: [Commit]]) -> String {
    guard let commits = byRun[context.root], let first = commits.first else {
      return unknown(context.root, seenFrom: context.run)
    }
    return link(first, commits)
  }

  private func origin(_ context: RunContext) -> String {
    "sent from outside of any run, " + (context.trace.map { "in the trace \($0.traceparent)" } ?? "without a trace")
  }

  // MARK: What is not kept

  private func absence(of revision: Int) -> String {
    if revision <= 0 { return "revision \(revision) is no commit: the first commit has revision 1" }
    guard let oldest = kept.first?.revision, let newest = kept.last?.revision else {
      return "revision \(revision) is not kept: nothing was committed since the store has this history"
    }
    if revision > newest {
      return "revision \(revision) is not kept: it was not committed yet; the newest that is kept is \(newest)"
    }
    if revision < oldest, kept.count == capacity {
      return """
        revision \(revision) is not kept any more: of the newest commits \(capacity) are kept, \(oldest) to \(newest); to keep \
        more, give TransitionHistory(keeping:) a larger number
        """
    }
    return "revision \(revision) is not kept: it was committed while the store did not have this history"
  }
}
