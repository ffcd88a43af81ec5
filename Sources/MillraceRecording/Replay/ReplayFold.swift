public import Millrace

/// The reduction of recorded mutations, and its comparison with recorded states.
@usableFromInline
struct ReplayFold<I: Interactor> where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  @usableFromInline typealias Entry = RecordingEntry<I.Action, I.Mutation, I.State>

  @usableFromInline var state: I.State

  /// The revision of that state; commits that were skipped come after it.
  @usableFromInline var revision: Int

  @usableFromInline var order: EntryOrder
  @usableFromInline var commits = 0

  /// The line of the entry that is looked at.
  @usableFromInline var line = 1

  private let redaction: Redaction<I.Action, I.Mutation, I.State>?
  private let header: RecordingHeader
  private var report: ReplayReport<I.State>
  private var lastSame: Int

  @usableFromInline
  init(
    _ header: RecordingHeader, _ start: RecordedState<I.State>,
    _ redaction: Redaction<I.Action, I.Mutation, I.State>?
  ) {
    state = start.state
    revision = start.revision
    order = EntryOrder(revision: start.revision)
    lastSame = start.revision
    report = ReplayReport(state: start.state, revision: start.revision)
    self.header = header
    self.redaction = redaction
  }

  /// Advances by an entry; false when the states differ.
  @inlinable
  mutating func take(_ entry: Entry) throws -> Bool {
    line += 1
    switch entry {
    case .commit(let commit):
      let last = order.revision
      switch order.commit(commit.revision) {
      case .follows:
        I.reduce(into: &state, mutation: commit.mutation)
        revision = commit.revision
        commits += 1
      case .restarts: skip()
      case .wrong: throw RecordingError.wrongOrder(line: line, "commits", commit.revision, after: last)
      }
    case .state(let recorded): return try compare(recorded)
    case .gap: order.gap()
    case .action, .call, .rest, .end: break
    }
    return true
  }

  /// The result, at the end.
  @usableFromInline
  func end(cut: RecordingError?) -> ReplayReport<I.State> {
    var report = report
    (report.state, report.revision, report.commits) = (state, revision, commits)
    report.cut = cut
    return report
  }

  @usableFromInline
  mutating func skip() {
    report.skipped += 1
  }

  @usableFromInline
  mutating func compare(_ recorded: RecordedState<I.State>) throws -> Bool {
    let last = order.revision
    switch order.state(recorded.revision) {
    case .wrong:
      throw RecordingError.wrongOrder(line: line, "has the state of", recorded.revision, after: last)
    case .restarts: (state, revision) = (recorded.state, recorded.revision)
    case .follows:
      if recorded.revision != lastSame { report.comparisons += 1 }
      let current = redaction.map { $0.state(state) } ?? state
      if let difference = try EncodedDifference.lines(from: recorded.state, hash: recorded.hash, to: current) {
        report.divergence = ReplayDivergence(
          revision: recorded.revision, lastSame: lastSame, recorded: recorded.state, replayed: state,
          difference: difference, hint: hint)
        return false
      }
    }
    lastSame = recorded.revision
    return true
  }

  /// The reasons for which states may differ though the reducer is the same.
  private var hint: String {
    let types = TypeNames(of: (I.Action.self, I.Mutation.self, I.State.self))
    let other =
      header.types == types
      ? ""
      : " The recording is of \(header.types), and was replayed with \(types): replay it with the types that it is of."
    let redacted =
      header.isRedacted && redaction == nil
      ? " The recording is redacted: if the reducer derives something from what was redacted, give the replay the same redaction."
      : ""
    return other + redacted
  }
}
