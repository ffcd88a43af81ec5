import Millrace

/// Takes what interceptors and tapes tell, from any thread, and keeps it in order.
final class RecordingIntake<Keep: EntryKeeping>: Sendable {
  private let state: Lock<IntakeState<Keep>>
  private let time: TimeSource
  private let start: Instant
  private let settle: @Sendable (RecordingIntake, Keep.After) -> Void

  /// An intake whose time begins now; `settle` does what is left to do, without the lock.
  init(
    _ keep: Keep, revision: Int, interval: Int, clock: any Clock<Duration>,
    settle: @escaping @Sendable (RecordingIntake, Keep.After) -> Void
  ) {
    state = Lock(IntakeState(keep, revision: revision, interval: interval))
    time = TimeSource(clock)
    start = time.now()
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
    change { $0.end(cause, outcome.kind, at: at) }
  }

  func rests(_ cause: Cause<Keep.Action>, after attempt: Int, for duration: Duration) {
    let rest = RecordedRest(at: now(), run: cause.context.run, attempt: attempt, duration: duration.nanoseconds)
    change { $0.rest(rest) }
  }

  func called(_ call: RecordedCall) {
    change { $0.call(call) }
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
