public import Millrace

/// Keeps the last things that happened in a store, for when something goes wrong.
///
/// ```swift
/// let recorder = RingRecorder<Shop>(initial: state, keeping: 4_096)
/// …
/// try recorder.recording.write(to: url)
/// ```
///
/// Nothing is encoded or written until it is asked for. Entries are kept in segments that each begin with a state, and the oldest
/// segment is removed as a whole where enough entries remain without it. Where commits are rare a segment is long; then its first
/// entries are removed, but for commits, which the state at its end is made of, and a gap counts the missing ones between them. So the newest
/// entries are always there, the kept ones can always be replayed, and they are at least a third of the capacity.
///
/// **Isolation.** With the store's lock an entry is added, which takes about a microsecond. A state is copied every so
/// many commits, which costs the store one copy of the parts that it changes next; as many states are kept as there are segments.
///
/// **Lifetime.** A recorder is for one store. It may be put into a store that has commits, or be taken out of the chain and
/// put back: the recording has a gap there, and continues with the next commit.
public final class RingRecorder<I: Interactor>: Interceptor
where I.Action: Codable, I.Mutation: Codable, I.State: Codable {
  private typealias Ring = EntryRing<I.Action, I.Mutation, I.State>

  private let intake: RecordingIntake<Ring>
  private let steps: StepTape<Ring>
  private let redaction: Redaction<I>
  private let began: Int64

  /// The tape through which handlers call gateways, so that the replies are recorded.
  public let tape: GatewayTape

  /// Begins a recording.
  ///
  /// - Parameters:
  ///   - initial: the state that the store begins with.
  ///   - revision: the revision of that state; 0 for a new store.
  ///   - count: the number of entries that are kept, with states; at least 16, by default 4,096.
  ///   - checkpoint: The number of commits from one recorded state to the next, or fewer if the ring asks for it; by default 256.
  ///   - redaction: the redaction of values, when the recording is taken out; until then they are kept as they are, but for
  ///     requests, replies and errors.
  ///   - clock: the clock that measures the times; the store's, where that is another one.
  ///   - wallTime: Returns the wall time in milliseconds since 1970; called once, for the header. By default the system's.
  ///   - report: Receives requests and replies that cannot be encoded, on any thread; by default one line on standard
  ///     error.
  public init(
    initial: I.State, revision: Int = 0, keeping count: Int = 4_096, checkpoint: Int = 256,
    redaction: Redaction<I> = Redaction(), clock: any Clock<Duration> = ContinuousClock(),
    wallTime: (@Sendable () -> Int64)? = nil,
    report: (@Sendable (RecordingError) -> Void)? = nil
  ) {
    let ring = Ring(capacity: count, start: RecordedState(at: 0, revision: revision, state: initial))
    // What was dropped is released when this is called, without the lock.
    intake = RecordingIntake(
      ring, revision: revision, interval: checkpoint, clock: clock, errorText: redaction.error
    ) { _, _ in }
    let reports = UnencodableReports(report ?? { writeToStandardError(line: $0.description) })
    tape = GatewayTape(RecordingDeck(intake: intake, redaction: redaction.calls, reports: reports))
    steps = StepTape(intake: intake, redaction: redaction.steps, reports: reports)
    self.redaction = redaction
    began = wallTime?() ?? WallTime.now()
  }

  /// The kept entries, redacted; they begin with the oldest state that is kept.
  public var recording: Recording<I> {
    let segments = intake.withKeep { $0.segments }
    let entries = segments.indices.flatMap { index in
      (index == 0 ? [] : [.state(segments[index].start)]) + segments[index].entries
    }
    return Recording(
      header: RecordingHeader(of: I.self, isRedacted: redaction.isRedacting, began: began),
      start: segments[0].start.redacted(by: redaction.state), entries: entries.map { $0.redacted(by: redaction) })
  }

  /// The number of calls that were left out, because their request or reply could not be encoded.
  public var missed: Int { intake.missed }

  /// Records that an action was accepted.
  public func accepted(_ cause: Cause<I.Action>) {
    intake.accepted(cause)
  }

  /// Records a commit.
  public func committed(_ mutation: I.Mutation, revision: Int, cause: Cause<I.Action>, state: borrowing I.State) {
    intake.committed(mutation, revision: revision, cause: cause, state: state)
  }

  /// Records how an action ended.
  public func ended(_ cause: Cause<I.Action>, outcome: Outcome) {
    intake.ended(cause, outcome)
  }
}

extension RingRecorder: StepSink {
  /// Records the value that a handler gets of a step.
  package func stepHasValue(_ value: any Encodable & Sendable, _ name: String, of handling: StepOrigin) {
    steps.stepHasValue(value, name, of: handling)
  }

  /// Records the failure that a handler gets of a step.
  package func stepHasFailed(_ error: any Error, _ name: String, of handling: StepOrigin) {
    steps.stepHasFailed(error, name, of: handling)
  }
}

extension RingRecorder: EventSink {
  /// Records the rest before the next attempt of a run.
  package func rest(_ drawn: Duration, after attempt: Int, of cause: Cause<I.Action>) -> Duration {
    intake.rests(cause, after: attempt, for: drawn)
    return drawn
  }

  /// Records an action that was rejected before it was accepted.
  package func refused(_ cause: Cause<I.Action>) {
    intake.refused(cause)
  }
}

extension RecordingEntry {
  fileprivate func redacted<I: Interactor>(by redaction: Redaction<I>) -> RecordingEntry
  where I.Action == Action, I.Mutation == Mutation, I.State == State {
    switch self {
    case .action(let action):
      .action(action.with(redaction.action(action.action), action.trace.flatMap(redaction.trace)))
    case .commit(let commit): .commit(commit.with(redaction.mutation(commit.mutation)))
    case .state(let state): .state(state.redacted(by: redaction.state))
    case .call, .rest, .step, .end, .gap: self
    }
  }
}

extension RecordedState {
  fileprivate func redacted(by redact: (State) -> State) -> RecordedState {
    RecordedState(at: at, revision: revision, state: redact(state))
  }
}
