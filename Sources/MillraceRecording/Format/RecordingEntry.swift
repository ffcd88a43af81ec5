public import Millrace

/// Something that happened in a store that is recorded; a line of the file.
public enum RecordingEntry<Action: Sendable, Mutation: Sendable, State: Sendable>: Sendable {
  /// An action was accepted, or rejected before that.
  case action(RecordedAction<Action>)

  /// A gateway has replied.
  case call(RecordedCall)

  /// A mutation was committed.
  case commit(RecordedCommit<Mutation>)

  /// A run rests before its next attempt.
  case rest(RecordedRest)

  /// A step of a run has its result.
  case step(RecordedStep)

  /// An action has its outcome.
  case end(RecordedEnd)

  /// The state that the commits before have led to.
  case state(RecordedState<State>)

  /// Something happened that could not be recorded.
  case gap(RecordedGap)
}

extension RecordingEntry {
  /// The time of the entry, in nanoseconds since the start of the recording.
  public var at: Int64 {
    switch self {
    case .action(let action): action.at
    case .call(let call): call.at
    case .commit(let commit): commit.at
    case .rest(let rest): rest.at
    case .step(let step): step.at
    case .end(let end): end.at
    case .state(let state): state.at
    case .gap(let gap): gap.at
    }
  }
}

/// An action that was given to the store.
public struct RecordedAction<Action: Sendable>: Sendable {
  /// The time of the acceptance, in nanoseconds since the start of the recording, on the recorder's clock.
  public let at: Int64

  /// The run that handles it, with the action's id.
  public let run: RunID

  /// The run whose handler sent it, or nil.
  public let parent: RunID?

  /// The first run of the chain: the run itself when it has no parent.
  public let root: RunID

  /// The trace it belongs to.
  public let trace: TraceContext?

  /// False if it was rejected before it was accepted; then it has changed nothing.
  public let isAccepted: Bool

  /// The action, redacted if there was a redaction.
  public let action: Action

  /// An action with where it came from.
  public init(
    at: Int64, run: RunID, parent: RunID?, root: RunID, trace: TraceContext?, isAccepted: Bool, action: Action
  ) {
    self.at = at
    self.run = run
    self.parent = parent
    self.root = root
    self.trace = trace
    self.isAccepted = isAccepted
    self.action = action
  }

  init(at: Int64, _ cause: Cause<Action>, isAccepted: Bool) {
    let context = cause.context
    self.init(
      at: at, run: context.run, parent: context.parent, root: context.root, trace: context.trace,
      isAccepted: isAccepted, action: cause.action)
  }

  func with(_ action: Action, _ trace: TraceContext?) -> Self {
    Self(at: at, run: run, parent: parent, root: root, trace: trace, isAccepted: isAccepted, action: action)
  }
}

/// A mutation that was applied to the state.
public struct RecordedCommit<Mutation: Sendable>: Sendable {
  /// The time of the commit, in nanoseconds since the start of the recording, on the recorder's clock.
  public let at: Int64

  /// The position in the order of commits; the first commit of a store has revision 1.
  public let revision: Int

  /// The run that brought it about.
  public let run: RunID

  /// The mutation, redacted if there was a redaction.
  public let mutation: Mutation

  /// A commit.
  public init(at: Int64, revision: Int, run: RunID, mutation: Mutation) {
    self.at = at
    self.revision = revision
    self.run = run
    self.mutation = mutation
  }

  func with(_ mutation: Mutation) -> Self {
    Self(at: at, revision: revision, run: run, mutation: mutation)
  }
}

/// The state at a revision, and its hash.
public struct RecordedState<State: Sendable>: Sendable {
  /// The time of the commit that led to the state, in nanoseconds since the start of the recording, on the recorder's clock.
  public let at: Int64

  /// The number of mutations that led to the state.
  public let revision: Int

  /// The hash of the state as it is recorded here; nil as long as the state was not written, or if its line has none that it is
  /// checked by.
  public let hash: StateHash?

  /// The state, redacted if there was a redaction.
  public let state: State

  /// A state at a revision; without a hash it is computed when it is needed.
  public init(at: Int64, revision: Int, hash: StateHash? = nil, state: State) {
    self.at = at
    self.revision = revision
    self.hash = hash
    self.state = state
  }
}

/// The beginning of a rest between two attempts of a run.
///
/// A resimulation lets the run rest exactly as long again, because jitter is random.
public struct RecordedRest: Sendable, Hashable {
  /// The beginning of the rest, in nanoseconds since the start of the recording, on the recorder's clock.
  public let at: Int64

  /// The run that rests.
  public let run: RunID

  /// The number of the attempt that failed before the rest, counted from 1.
  public let attempt: Int

  /// The length of the rest, in nanoseconds; at least 0.
  public let duration: Int64

  /// Creates the entry of a rest.
  ///
  /// - Parameters:
  ///   - at: the beginning of the rest, in nanoseconds since the start of the recording.
  ///   - run: the run that rests.
  ///   - attempt: the number of the attempt that failed before the rest, counted from 1.
  ///   - duration: the length of the rest, in nanoseconds; at least 0.
  public init(at: Int64, run: RunID, attempt: Int, duration: Int64) {
    self.at = at
    self.run = run
    self.attempt = attempt
    self.duration = duration
  }
}

/// The end of an action.
public struct RecordedEnd: Sendable, Hashable {
  /// The time of the end, in nanoseconds since the start of the recording, on the recorder's clock.
  public let at: Int64

  /// The run that handled it.
  public let run: RunID

  /// The kind of the outcome.
  public let outcome: Outcome.Kind

  /// The text of the error of a failure or a rejection, as the ``Redaction`` has made it; nil for an end without an error.
  ///
  /// A recorder makes the text when the action ends. The text has at most 4,096 Unicode scalars, and an ellipsis where more are left out.
  public let error: String?

  /// An end.
  public init(at: Int64, run: RunID, outcome: Outcome.Kind, error: String? = nil) {
    self.at = at
    self.run = run
    self.outcome = outcome
    self.error = error
  }
}

/// A place where something happened that could not be recorded, because the writer was too slow or the recorder not in place.
///
/// Commits behind it cannot be replayed before the next state, which the recorder takes with the first of them.
public struct RecordedGap: Sendable, Hashable {
  /// The time at which recording continued, in nanoseconds since the start of the recording, on the recorder's clock.
  public let at: Int64

  /// The number of entries known to be missing; 0 if commits were made while the recorder was not among the interceptors.
  public let missed: Int

  /// A gap.
  public init(at: Int64, missed: Int) {
    self.at = at
    self.missed = missed
  }
}

extension RunID {
  /// Reads what ``description`` writes: `#5@1`.
  init?(text: String) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].first == "#", let number = UInt64(parts[0].dropFirst()), let store = Int(parts[1])
    else { return nil }
    self.init(store: store, action: ActionID(number: number))
  }
}
