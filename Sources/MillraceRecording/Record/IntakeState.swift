import Millrace

/// The knowledge of a recorder about its store: the newest commit, and the entries that could not be kept.
struct IntakeState<Keep: EntryKeeping>: Sendable {
  typealias Entry = RecordingEntry<Keep.Action, Keep.Mutation, Keep.State>

  private(set) var keep: Keep

  /// The number of entries that could not be kept.
  private(set) var missed = 0

  /// Of those, the ones that no gap tells of yet.
  private var untold = 0

  /// Whether nothing is taken any more.
  private(set) var isOver = false

  private let interval: Int
  private var revision: Int
  private var stateRevision: Int

  /// Whether the next commit cannot be replayed without its state.
  private var isBroken = false

  /// Begins behind the state of a revision.
  init(_ keep: Keep, revision: Int, interval: Int) {
    self.keep = keep
    self.interval = max(1, interval)
    self.revision = revision
    stateRevision = revision
  }

  mutating func accept(_ cause: Cause<Keep.Action>, at: Int64) {
    if isOver { return }
    add(.action(RecordedAction(at: at, cause, isAccepted: true)))
  }

  mutating func refuse(_ cause: Cause<Keep.Action>, at: Int64) {
    if isOver { return }
    add(.action(RecordedAction(at: at, cause, isAccepted: false)))
  }

  mutating func end(_ cause: Cause<Keep.Action>, _ outcome: Outcome.Kind, at: Int64) {
    if isOver { return }
    add(.end(RecordedEnd(at: at, run: cause.context.run, outcome: outcome)))
  }

  mutating func rest(_ rest: RecordedRest) {
    if isOver { return }
    add(.rest(rest))
  }

  mutating func call(_ call: RecordedCall) {
    if isOver { return }
    add(.call(call))
  }

  /// Notes something that could not become an entry.
  mutating func miss() {
    if isOver { return }
    missed += 1
    untold += 1
  }

  /// Counts entries that were kept and left out later, with a gap in their place.
  mutating func leaveOut(_ count: Int) {
    missed += count
  }

  /// Whether the commit of this revision has to bring its state.
  func wantsState(at revision: Int) -> Bool {
    if isOver { return false }
    return isBroken || keep.wantsState || revision != self.revision &+ 1 || revision &- stateRevision >= interval
  }

  mutating func commit(_ commit: RecordedCommit<Keep.Mutation>, _ state: Keep.State?) {
    if isOver { return }
    // Commits were made while the recorder was not among the interceptors.
    let isBehindGap = commit.revision != revision &+ 1
    revision = commit.revision
    let state = state.map { RecordedState(at: commit.at, revision: commit.revision, state: $0) }
    guard add(.commit(commit), state, isBehindGap: isBehindGap) else {
      isBroken = true
      return
    }
    if state != nil { (stateRevision, isBroken) = (revision, false) }
  }

  /// Takes nothing any more.
  ///
  /// - Returns: what is left to tell: a gap, and the last state, if it is that of the last commit and was not told yet.
  mutating func finish(with last: Snapshot<Keep.State>?, at: Int64) -> [Entry] {
    if isOver { return [] }
    isOver = true
    let gap: [Entry] = untold > 0 ? [.gap(RecordedGap(at: at, missed: untold))] : []
    guard let last, last.revision == revision, revision != stateRevision, !isBroken else { return gap }
    return gap + [.state(RecordedState(at: at, revision: revision, state: last.state))]
  }

  /// The work to do once the lock is released.
  mutating func settle() -> Keep.After { keep.settle() }

  /// Changes what is kept.
  mutating func withKeep<Result>(_ body: (inout Keep) -> Result) -> Result { body(&keep) }

  @discardableResult
  private mutating func add(
    _ entry: Entry, _ state: RecordedState<Keep.State>? = nil, isBehindGap: Bool = false
  ) -> Bool {
    let gap = untold > 0 || isBehindGap ? RecordedGap(at: entry.at, missed: untold) : nil
    guard keep.add(gap, entry, state) else {
      miss()
      return false
    }
    untold = 0
    return true
  }
}
