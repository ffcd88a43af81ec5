import Millrace
import MillraceEntries

/// Takes what interceptors and tapes tell, from any thread, and keeps it in order.
final class RecordingIntake<Keep: EntryKeeping>: Sendable {
  private let state: Lock<IntakeState<Keep>>
  private let time: TimeSource
  private let start: Instant
  private let errorText: @Sendable (String, any Error) -> String
  private let settle: @Sendable (RecordingIntake, Keep.After) -> Void

  /// An intake whose time begins now; `settle` does what is left to do, without the lock.
  ///
  /// - Parameter errorText: makes the text of the error that an action of a name ends with.
  init(
    _ keep: Keep, revision: Int, interval: Int, clock: any Clock<Duration>,
    errorText: @escaping @Sendable (String, any Error) -> String,
    settle: @escaping @Sendable (RecordingIntake, Keep.After) -> Void
  ) {
    state = Lock(IntakeState(keep, revision: revision, interval: interval))
    time = TimeSource(clock)
    start = time.now()
    self.errorText = errorText
    self.settle = settle
  }

  var missed: Int { state.withLock { $0.missed } }

  var isOver: Bool { state.withLock { $0.isOver } }

  /// Nanoseconds since the start.
  func now() -> Int64 { time.now() - start }

  func accepted(_ cause: Cause<Keep.Action>) {
    let at = now()
    change { $0.accept(cause, at: at) }
  }

  func refused(_ cause: Cause<Keep.Action>) {
    let at = now()
    change { $0.refuse(cause, at: at) }
  }

  func committed(
    _ mutation: Keep.Mutation, revision: Int, cause: Cause<Keep.Action>, state current: borrowing Keep.State
  ) {
    let commit = RecordedCommit(at: now(), revision: revision, run: cause.context.run, mutation: mutation)
    // Commits come one at a time, so nothing comes between the question and the answer but what is no commit.
    let copied = state.withLock { $0.wantsState(at: revision) } ? copy current : nil
    change { $0.commit(commit, copied) }
  }

  func ended(_ cause: Cause<Keep.Action>, _ outcome: Outcome) {
    let at = now()
    // Made here, so that the error, which may refer to anything, is not kept until it is written.
    let error = outcome.error.flatMap { isOver ? nil : errorText(CaseName.of(cause.action), $0).shortened(to: 4_096) }
    let end = RecordedEnd(at: at, run: cause.context.run, outcome: outcome.kind, error: error)
    change { $0.end(end) }
  }

  func rests(_ cause: Cause<Keep.Action>, after attempt: Int, for duration: Duration) {
    let rest = RecordedRest(at: now(), run: cause.context.run, attempt: attempt, duration: duration.nanoseconds)
    change { $0.rest(rest) }
  }

  func called(_ call: RecordedCall) {
    change { $0.call(call) }
  }

  func stepped(_ step: RecordedStep) {
    change { $0.step(step) }
  }

  func missedOne() {
    change { $0.miss() }
  }

  /// Counts entries that were kept and then left out; who did so tells of the gap.
  func leftOut(_ count: Int) {
    state.withLock { $0.leaveOut(count) }
  }

  /// Takes nothing any more; gives what is left to tell, to the first who asks.
  @discardableResult
  func finish(with last: Snapshot<Keep.State>? = nil) -> [IntakeState<Keep>.Entry] {
    let at = now()
    return state.withLock { $0.finish(with: last, at: at) }
  }

  /// Takes something of what is kept, or changes it.
  func withKeep<Result: Sendable>(_ body: @Sendable (inout Keep) -> Result) -> Result {
    state.withLock { $0.withKeep(body) }
  }

  /// The one place that changes the state: the event under the lock, what it leaves to do after.
  private func change(_ event: @Sendable (inout IntakeState<Keep>) -> Void) {
    let after = state.withLock { state in
      event(&state)
      return state.settle()
    }
    settle(self, after)
  }
}

extension Outcome {
  /// The error of a failure, of a decision against the action, or of the journal.
  fileprivate var error: (any Error)? {
    switch self {
    case .failed(let error), .rejected(.decided(let error)), .rejected(.journal(let error)): error
    case .finished, .cancelled, .superseded, .timedOut, .rejected, .shutDown, .abandoned, .leftOpen: nil
    }
  }
}

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

  mutating func end(_ end: RecordedEnd) {
    if isOver { return }
    add(.end(end))
  }

  mutating func rest(_ rest: RecordedRest) {
    if isOver { return }
    add(.rest(rest))
  }

  mutating func call(_ call: RecordedCall) {
    if isOver { return }
    add(.call(call))
  }

  mutating func step(_ step: RecordedStep) {
    if isOver { return }
    add(.step(step))
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
  /// - Returns: the entries that are left to write: a gap, and the last state, if it is that of the last commit and was not told yet.
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
